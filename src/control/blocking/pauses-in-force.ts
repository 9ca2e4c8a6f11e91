// Which pauses hold at a moment, and until when that is so. Plain functions of the stored pauses and of the
// time, because the same question is asked for the dns workers, for replies and for explanations.

import type { StoredPause } from '#store/database/entities';

export const pausesInForce = (pauses: readonly StoredPause[], nowSeconds: number): readonly StoredPause[] =>
  pauses.filter(({ until }) => until === null || until > nowSeconds);

/** The groups that have one of these pauses. */
export const pausedGroups = (pauses: readonly StoredPause[]): ReadonlySet<number> =>
  new Set(pauses.flatMap(({ group_id }) => (group_id === null ? [] : [group_id])));

/** When the next of them ends by itself, in Unix seconds; Infinity when none does. */
export const nextPauseEndSeconds = (pauses: readonly StoredPause[], nowSeconds: number): number =>
  pauses.reduce(
    (next, { until }) => (until !== null && until > nowSeconds ? Math.min(next, until) : next),
    Number.POSITIVE_INFINITY,
  );
