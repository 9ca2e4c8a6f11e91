// What can be found out about the device behind an address. The engine makes no system calls: a function that
// reads the kernel's neighbours is passed in, and called before the first rule is chosen for an address.

import type { ClientTraits } from '#policy';

export interface FoundTraits extends ClientTraits {
  /** False when more will be known soon: it is asked again, a few times. */
  readonly isSettled: boolean;
}

/** `address`: 16 bytes, IPv4 as ::ffff:a.b.c.d, good during the call. It must be quick: a query waits. */
export type Identify = (address: Uint8Array) => FoundTraits;

/** For addresses of which no rule needs to know more. */
export const unknownTraits: FoundTraits = { isSettled: true };
