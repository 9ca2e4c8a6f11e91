// The names of the addresses that ask, by reverse lookups in the background. A name from our own records is
// there at once; any other comes later, and whoever wanted it is told. What cannot be found out is asked for
// again after a minute, and the name that was known before stays meanwhile.

import type { NameOutcome } from '#engine';
import { PerSecond } from './per-second.ts';

export type LookUpName = (address: Uint8Array, done: (outcome: NameOutcome) => void) => void;

export interface HostNamesParts {
  /** May call back before it returns. */
  readonly lookUp: LookUpName;
  /** The name of this address (16 bytes) is another one than before. */
  readonly onName: (address: Uint8Array) => void;
  readonly nowMs: () => number;
}

export interface HostName {
  readonly name: string | undefined;
  /** Nobody could be asked yet, as too many are asked already. */
  readonly isOpen: boolean;
}

/** Addresses whose names are kept; those that came first go. */
export const mostHostNames = 16_384;
export const mostInFlight = 64;
export const mostLookupsPerSecond = 500;
const foundForMs = 3_600_000;
const failedForMs = 60_000;

interface Entry {
  name: string | undefined;
  askAgainMs: number;
  isAsking: boolean;
}

export class HostNames {
  readonly #parts: HostNamesParts;
  readonly #entries = new Map<string, Entry>();
  readonly #rate = new PerSecond(mostLookupsPerSecond);
  #inFlight = 0;

  constructor(parts: HostNamesParts) {
    this.#parts = parts;
  }

  /** `address`: 16 bytes. What is known now; it is found out when it is not known or too old. */
  nameOf(address: Uint8Array): HostName {
    const key = Buffer.from(address).toString('latin1');
    const nowMs = this.#parts.nowMs();
    const entry = this.#entries.get(key) ?? newEntry();
    if (entry.isAsking || nowMs < entry.askAgainMs) return { name: entry.name, isOpen: false };
    if (this.#inFlight >= mostInFlight || !this.#rate.take(nowMs)) return { name: entry.name, isOpen: true };
    this.#keep(key, entry);
    this.#ask(address.slice(), entry);
    return { name: entry.name, isOpen: false };
  }

  /** Whoever knows names is another one now. */
  askAgain(): void {
    for (const entry of this.#entries.values()) entry.askAgainMs = Number.NEGATIVE_INFINITY;
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > mostHostNames && oldest !== undefined) this.#entries.delete(oldest);
  }

  #ask(address: Uint8Array, entry: Entry): void {
    let isLater = false;
    entry.isAsking = true;
    this.#inFlight++;
    this.#parts.lookUp(address, (outcome) => {
      this.#inFlight--;
      entry.isAsking = false;
      entry.askAgainMs = this.#parts.nowMs() + (outcome.isFound ? foundForMs : failedForMs);
      if (!outcome.isFound || outcome.name === entry.name) return;
      entry.name = outcome.name;
      if (isLater) this.#parts.onName(address);
    });
    isLater = true;
  }
}

const newEntry = (): Entry => ({
  name: undefined,
  askAgainMs: Number.NEGATIVE_INFINITY,
  isAsking: false,
});
