// Counters of one worker in shared memory: written by the worker alone, summed by whoever reads. Doubles,
// because a busy network passes 2^32 queries in days.

const counterNames = [
  'queries',
  'forwarded',
  'cached',
  'stale',
  'local',
  'special',
  'blocked',
  'blockedByTarget',
  'upstreamBlocked',
  'failed',
  /** Answered REFUSED: not of this network. */
  'strangers',
  /** Answered REFUSED: over the rate limit. */
  'overLimit',
  'malformed',
  /** Queries that found no room to wait for their answer. */
  'overloaded',
  /** Asked while the same question was in flight. */
  'coalesced',
  'refreshed',
] as const;

export type CounterName = (typeof counterNames)[number];

export const countersBytes = counterNames.length * 8;

/** The place of each counter. Origins 1 to 9 of a record have the places 1 to 9. */
// The names above are the keys, in their order.
export const Counter = Object.fromEntries(counterNames.map((name, index) => [name, index])) as Readonly<
  Record<CounterName, number>
>;

export function readCounters(memories: readonly SharedArrayBuffer[]): Readonly<Record<CounterName, number>> {
  const views = memories.map((memory) => new Float64Array(memory));
  const sum = (index: number): number => views.reduce((total, view) => total + (view[index] ?? 0), 0);
  // One number for each name.
  return Object.fromEntries(counterNames.map((name, index) => [name, sum(index)])) as Record<
    CounterName,
    number
  >;
}
