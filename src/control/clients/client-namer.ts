// Looks up the host names of clients that are new in the history, in the background, and publishes each name
// when it is known. Addresses above the lookup limit wait in a queue.

import { addressText } from '#wire';
import { maxSeenClients, type NamedClient } from '#history/thread';
import type { DeviceDirectory } from './device-directory.ts';

interface NamerParts {
  readonly devices: Pick<DeviceDirectory, 'hostNameOf'>;
  readonly publish: (names: readonly NamedClient[]) => void;
}

const retryMs = 1_000;

export class ClientNamer {
  readonly #parts: NamerParts;
  /** By the bytes of the address as text. */
  readonly #waiting = new Map<string, Uint8Array>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: NamerParts) {
    this.#parts = parts;
  }

  /** Addresses of clients that have sent queries, 16 bytes each. */
  enqueue(addresses: readonly Uint8Array[]): void {
    for (const address of addresses)
      if (this.#waiting.size < maxSeenClients)
        this.#waiting.set(Buffer.from(address).toString('latin1'), address);
    this.#lookUpWaiting();
  }

  /** Call when a name is found later, or has changed. */
  publishName(address: Uint8Array, name: string | undefined): void {
    this.#parts.publish([{ address: addressText(address), name: name ?? '' }]);
  }

  #lookUpWaiting(): void {
    const known: NamedClient[] = [];
    for (const [key, address] of this.#waiting) {
      const { name, isOpen } = this.#parts.devices.hostNameOf(address);
      if (isOpen) break;
      this.#waiting.delete(key);
      if (name !== undefined) known.push({ address: addressText(address), name });
    }
    if (known.length > 0) this.#parts.publish(known);
    clearTimeout(this.#timer);
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#lookUpWaiting(), retryMs).unref();
  }
}
