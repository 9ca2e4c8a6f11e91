// Host names of client addresses, by reverse lookups in the background. Names from local records are returned
// at once; others arrive later through `onName`. A failed lookup is retried after a minute; until then the
// previous name stays.

import type { NameOutcome } from '#engine';
import { PerSecond } from './per-second.ts';

export type LookUpName = (address: Uint8Array, done: (outcome: NameOutcome) => void) => void;

export interface HostNamesParts {
  /** May call back before it returns. */
  readonly lookUp: LookUpName;
  /** Called when the name of this address (16 bytes) has changed. */
  readonly onName: (address: Uint8Array) => void;
  readonly nowMs: () => number;
}

export interface HostName {
  readonly name: string | undefined;
  /** The lookup has not started yet, because too many are running. */
  readonly isOpen: boolean;
}

/** Addresses whose names are kept; the oldest are dropped. */
export const maxHostNames = 16_384;
export const maxInFlight = 64;
export const maxLookupsPerSecond = 500;
const foundForMs = 3_600_000;
const failedForMs = 60_000;

interface Entry {
  name: string | undefined;
  expiresMs: number;
  isInFlight: boolean;
}

export class HostNames {
  readonly #parts: HostNamesParts;
  readonly #entries = new Map<string, Entry>();
  readonly #rate = new PerSecond(maxLookupsPerSecond);
  #inFlight = 0;

  constructor(parts: HostNamesParts) {
    this.#parts = parts;
  }

  /** `address`: 16 bytes. Returns what is known, and starts a lookup when that is nothing or expired. */
  nameOf(address: Uint8Array): HostName {
    const key = Buffer.from(address).toString('latin1');
    const nowMs = this.#parts.nowMs();
    const entry = this.#entries.get(key) ?? newEntry();
    if (entry.isInFlight || nowMs < entry.expiresMs) return { name: entry.name, isOpen: false };
    if (this.#inFlight >= maxInFlight || !this.#rate.tryAcquire(nowMs))
      return { name: entry.name, isOpen: true };
    this.#store(key, entry);
    this.#lookUp(address.slice(), entry);
    return { name: entry.name, isOpen: false };
  }

  /** Call when the name servers have changed. */
  expireAll(): void {
    for (const entry of this.#entries.values()) entry.expiresMs = Number.NEGATIVE_INFINITY;
  }

  #store(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxHostNames && oldest !== undefined) this.#entries.delete(oldest);
  }

  #lookUp(address: Uint8Array, entry: Entry): void {
    let isLater = false;
    entry.isInFlight = true;
    this.#inFlight++;
    this.#parts.lookUp(address, (outcome) => {
      this.#inFlight--;
      entry.isInFlight = false;
      entry.expiresMs = this.#parts.nowMs() + (outcome.isFound ? foundForMs : failedForMs);
      if (!outcome.isFound || outcome.name === entry.name) return;
      entry.name = outcome.name;
      if (isLater) this.#parts.onName(address);
    });
    isLater = true;
  }
}

function newEntry(): Entry {
  return { name: undefined, expiresMs: Number.NEGATIVE_INFINITY, isInFlight: false };
}
