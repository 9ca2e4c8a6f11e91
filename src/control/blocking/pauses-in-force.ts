// Which pauses are in force at a time, and when the next one expires. Pure functions, because plans, replies
// and explanations all need them.

import type { StoredPause } from '#store/database/entities';

export function pausesInForce(pauses: readonly StoredPause[], nowSeconds: number): readonly StoredPause[] {
  return pauses.filter(({ until }) => until === null || until > nowSeconds);
}

/** The groups that have one of these pauses. */
export function pausedGroups(pauses: readonly StoredPause[]): ReadonlySet<number> {
  return new Set(pauses.flatMap(({ group_id }) => (group_id === null ? [] : [group_id])));
}

/** When the next pause expires, in Unix seconds; Infinity: never. */
export function nextPauseEndSeconds(pauses: readonly StoredPause[], nowSeconds: number): number {
  return pauses.reduce(
    (next, { until }) => (until !== null && until > nowSeconds ? Math.min(next, until) : next),
    Number.POSITIVE_INFINITY,
  );
}
