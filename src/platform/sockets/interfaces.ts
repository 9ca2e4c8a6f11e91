// The network interfaces of this machine, as everybody in the program reads them. Node throws where the
// kernel refuses to tell, as it does to a process that has no descriptor left; whoever asks then hears what
// was seen last, because interfaces seldom change and nobody can do better than go on with what is known.

import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';

export type Interfaces = ReturnType<typeof networkInterfaces>;

export function createInterfacesReader(read: () => Interfaces): () => Interfaces {
  let lastSeen: Interfaces = {};
  return () => {
    try {
      lastSeen = read();
    } catch {
      // As last seen.
    }
    return lastSeen;
  };
}

export const readInterfaces = createInterfacesReader(networkInterfaces);

/** Without `localeCompare`, whose first call costs a start 10 ms. */
export function ipv4First(addresses: readonly NetworkInterfaceInfo[]): readonly NetworkInterfaceInfo[] {
  return addresses.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ family }: NetworkInterfaceInfo): number {
  return family === 'IPv4' ? 0 : 1;
}
