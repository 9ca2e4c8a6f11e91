// Finds out what those are called who ask, for the history: whoever is new there is looked up in the
// background, and told as soon as the name is known. Those who come too many at once wait their turn.

import { addressText, mostSeenClients, type NamedClient } from '#history/thread';
import type { DeviceDirectory } from './device-directory.ts';

interface NamerParts {
  readonly devices: Pick<DeviceDirectory, 'hostNameOf'>;
  readonly tell: (names: readonly NamedClient[]) => void;
}

const againMs = 1_000;

export class ClientNamer {
  readonly #parts: NamerParts;
  /** By their bytes as a text. */
  readonly #waiting = new Map<string, Uint8Array>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: NamerParts) {
    this.#parts = parts;
  }

  /** These have asked, each 16 bytes. */
  meet(addresses: readonly Uint8Array[]): void {
    for (const address of addresses)
      if (this.#waiting.size < mostSeenClients)
        this.#waiting.set(Buffer.from(address).toString('latin1'), address);
    this.#look();
  }

  /** A name came later, or is another one now. */
  heard(address: Uint8Array, name: string | undefined): void {
    this.#parts.tell([{ address: addressText(address), name: name ?? '' }]);
  }

  #look(): void {
    const known: NamedClient[] = [];
    for (const [key, address] of this.#waiting) {
      const { name, isOpen } = this.#parts.devices.hostNameOf(address);
      if (isOpen) break;
      this.#waiting.delete(key);
      if (name !== undefined) known.push({ address: addressText(address), name });
    }
    if (known.length > 0) this.#parts.tell(known);
    clearTimeout(this.#timer);
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#look(), againMs).unref();
  }
}
