// Keeps guessing slow: so many failed logins a second from one address, and so many over all. Right passwords
// do not count, so dashboards that log in for every refresh are never held up by it.

export interface Attempts {
  /** Whether this address may try now. */
  readonly mayTry: (address: string, nowMs: number) => boolean;
  /** Gives the way to take it back: what is under way counts until it is known to be right. */
  readonly failed: (address: string, nowMs: number) => () => void;
}

export const failuresPerSecond = 3;
export const failuresPerSecondOverall = 20;
const windowMs = 1_000;
/** Addresses with failures in the last second; more than this cannot be, with the limit over all. */
const addressesMax = 1_000;

/** Without one of them. */
const without = (times: readonly number[], time: number): number[] => {
  const index = times.indexOf(time);
  return index < 0 ? [...times] : times.toSpliced(index, 1);
};

export const createAttempts = (): Attempts => {
  const byAddress = new Map<string, number[]>();
  let overall: number[] = [];
  const recent = (times: readonly number[], nowMs: number): number[] =>
    times.filter((time) => nowMs - time < windowMs);
  return {
    mayTry: (address, nowMs) => {
      overall = recent(overall, nowMs);
      const own = recent(byAddress.get(address) ?? [], nowMs);
      return own.length < failuresPerSecond && overall.length < failuresPerSecondOverall;
    },
    failed: (address, nowMs) => {
      if (byAddress.size >= addressesMax) byAddress.clear();
      byAddress.set(address, [...recent(byAddress.get(address) ?? [], nowMs), nowMs]);
      overall = [...recent(overall, nowMs), nowMs];
      return () => {
        byAddress.set(address, without(byAddress.get(address) ?? [], nowMs));
        overall = without(overall, nowMs);
      };
    },
  };
};
