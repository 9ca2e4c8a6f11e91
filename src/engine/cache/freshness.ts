// How good an entry still is: fresh, fresh but due for a refresh because it is popular and nearly over, stale
// but still served (RFC 8767), or gone.

import type { CacheOptions } from '../options.ts';
import type { AnswerCache } from './answer-cache.ts';
import { Entry, State } from './entry.ts';

export const Freshness = { fresh: 0, dueSoon: 1, stale: 2, gone: 3 } as const;

/** Asked at least so often since it was stored. */
const popularHits = 3;
/** The last tenth of an answer's time. */
const dueFraction = 10;
/** RFC 8767 section 5: how long to wait after a refresh was begun before another is tried. */
const refreshPauseSeconds = 30;
const hitsMask = 0xffff;
/** Times of refreshes are kept in 16 bits and go round; 0 means that there was none. */
const refreshRound = 0xffff;

/** Counts a hit. */
export function freshnessOf(
  cache: AnswerCache,
  place: number,
  nowSeconds: number,
  options: CacheOptions,
): number {
  const freshness = ageOf(cache, place, nowSeconds, options);
  if (freshness !== Freshness.fresh) return freshness;
  const expiresAt = cache.words[place + Entry.expiresAt] ?? 0;
  return isDue(cache.words, place, nowSeconds, expiresAt, options) ? Freshness.dueSoon : Freshness.fresh;
}

/** Fresh, stale or gone; leaves no trace. */
export function ageOf(
  { words }: AnswerCache,
  place: number,
  nowSeconds: number,
  options: CacheOptions,
): number {
  const expiresAt = words[place + Entry.expiresAt] ?? 0;
  if (nowSeconds < expiresAt) return Freshness.fresh;
  // An answer with TTL 0 was for the queries that waited for it, and is never served again.
  if (expiresAt === words[place + Entry.storedAt]) return Freshness.gone;
  const isFailure = ((words[place + Entry.nameAndState] ?? 0) & State.failure) !== 0;
  if (isFailure || options.staleSeconds < 0) return Freshness.gone;
  const isOver = options.staleSeconds > 0 && nowSeconds >= expiresAt + options.staleSeconds;
  return isOver ? Freshness.gone : Freshness.stale;
}

function isDue(
  words: Int32Array,
  place: number,
  nowSeconds: number,
  expiresAt: number,
  { prefetch }: CacheOptions,
): boolean {
  const counted = words[place + Entry.hits] ?? 0;
  const hits = counted & hitsMask;
  if (hits < hitsMask) words[place + Entry.hits] = counted + 1;
  if (!prefetch || hits < popularHits) return false;
  const storedAt = words[place + Entry.storedAt] ?? 0;
  return (expiresAt - nowSeconds) * dueFraction <= expiresAt - storedAt;
}

/** True once per pause: the caller then begins a refresh. */
export function claimRefresh({ words }: AnswerCache, place: number, nowSeconds: number): boolean {
  const counted = words[place + Entry.hits] ?? 0;
  const now = ((nowSeconds - (words[place + Entry.storedAt] ?? 0)) % refreshRound) + 1;
  const last = counted >>> 16;
  const pauseSeconds = (now - last + refreshRound) % refreshRound;
  if (last !== 0 && pauseSeconds < refreshPauseSeconds) return false;
  words[place + Entry.hits] = (counted & hitsMask) | (now << 16);
  return true;
}
