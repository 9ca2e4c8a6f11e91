// Slows down password guessing: limits the failed logins per second of one address and of its network,
// because one host may have many addresses. There is no limit over all networks: with one, a few guessing
// machines would lock out every user. The hashing gate limits the total cost of all attempts. Successful
// logins do not count, so dashboards that log in for every refresh are never delayed.

import { ipBytes } from '#wire';

export interface Attempts {
  /** Whether this address is below its limit of failures per second. */
  readonly mayTry: (address: string, nowMs: number) => boolean;
  /** Whether the network of this address is below its limit of failures per second. */
  readonly mayNetworkTry: (address: string, nowMs: number) => boolean;
  /**
   * Counts a failure and returns a function that withdraws it: an attempt counts as failed until the password
   * has been verified.
   */
  readonly countFailure: (address: string, nowMs: number) => () => void;
}

export const FAILURES_PER_SECOND = 3;
export const NETWORK_FAILURES_PER_SECOND = 20;
const WINDOW_MS = 1_000;
/** The hashing gate allows some 50 failures a second, so this holds far more than one second of them. */
const MAX_KEYS = 1_000;

export function createAttempts(): Attempts {
  const byAddress = new RecentFailures();
  const byNetwork = new RecentFailures();
  return {
    mayTry: (address, nowMs) => byAddress.count(address, nowMs) < FAILURES_PER_SECOND,
    mayNetworkTry: (address, nowMs) =>
      byNetwork.count(networkOf(address), nowMs) < NETWORK_FAILURES_PER_SECOND,
    countFailure: (address, nowMs) => {
      byAddress.add(address, nowMs);
      byNetwork.add(networkOf(address), nowMs);
      return () => {
        byAddress.remove(address, nowMs);
        byNetwork.remove(networkOf(address), nowMs);
      };
    },
  };
}

/** The /24 of an IPv4 address, the /64 of an IPv6 address: what one household usually has. */
export function networkOf(address: string): string {
  const bytes = ipBytes(address);
  return bytes === undefined ? address : bytes.subarray(0, bytes.length === 4 ? 3 : 8).toHex();
}

/** Times of failures by key. Above the limit of keys, the key with the oldest failure is dropped. */
class RecentFailures {
  readonly #times = new Map<string, number[]>();

  count(key: string, nowMs: number): number {
    return this.#recent(key, nowMs).length;
  }

  add(key: string, nowMs: number): void {
    const times = [...this.#recent(key, nowMs), nowMs];
    this.#times.delete(key);
    this.#times.set(key, times);
    const [oldest] = this.#times.keys();
    if (this.#times.size > MAX_KEYS && oldest !== undefined) this.#times.delete(oldest);
  }

  remove(key: string, timeMs: number): void {
    const times = this.#times.get(key);
    const index = times?.indexOf(timeMs) ?? -1;
    if (index >= 0) times?.splice(index, 1);
  }

  #recent(key: string, nowMs: number): number[] {
    return (this.#times.get(key) ?? []).filter((timeMs) => nowMs - timeMs < WINDOW_MS);
  }
}
