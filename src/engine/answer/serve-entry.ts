// An answer from an entry: header and question as the client asked, the body as it was kept, TTLs less the
// time that has passed. No allocation, and for a fresh entry not even a walk over its records.

import { Flag, putU32, readTtl } from '#wire';
import type { QueryContext } from './query-context.ts';
import type { Composer } from './composer.ts';
import { bodyStart, ttlListStart, type AnswerCache } from '../cache/answer-cache.ts';
import { Entry, State } from '../cache/entry.ts';
import { flagsOf } from '../cache/entry-facts.ts';

/** RFC 8767 section 4: what a stale answer should say. */
export const staleTtlSeconds = 30;

/** Writes the answer; `ede` -1: no extended error. Returns its length. */
export function serveEntry(
  composer: Composer,
  cache: AnswerCache,
  place: number,
  query: QueryContext,
  nowSeconds: number,
  ede: number,
): number {
  const { words, bytes } = cache;
  const kept = flagsOf(words, place);
  const passedOn = isAdWanted(query) ? Flag.tc | Flag.ad : Flag.tc;
  composer.begin(query, kept & 0xf, Flag.ra | (kept & passedOn));
  const sections = words[place + Entry.answersAndAuthorities] ?? 0;
  const isWhole = composer.writer.addBody(
    bytes,
    bodyStart(words, place),
    (words[place + Entry.bodyAndTtls] ?? 0) & 0xffff,
    sections & 0xffff,
    sections >>> 16,
    (words[place + Entry.additionalsAndFlags] ?? 0) & 0xffff,
  );
  if (isWhole) age(cache, place, query, nowSeconds);
  words[place + Entry.nameAndState] = (words[place + Entry.nameAndState] ?? 0) | State.used;
  return composer.finish(query, 0, ede, undefined);
}

/** RFC 6840 section 5.7: AD is for clients that asked for it. */
function isAdWanted({ view }: QueryContext): boolean {
  return view.dnssecOk || view.authenticData;
}

/** Its time is over. What came with TTL 0 is not stale in the very second in which it came. */
export function isPast({ words }: AnswerCache, place: number, nowSeconds: number): boolean {
  return (
    nowSeconds >= (words[place + Entry.expiresAt] ?? 0) && nowSeconds > (words[place + Entry.storedAt] ?? 0)
  );
}

function age(cache: AnswerCache, place: number, query: QueryContext, nowSeconds: number): void {
  const { words, bytes } = cache;
  const passed = nowSeconds - (words[place + Entry.storedAt] ?? 0);
  if (passed <= 0) return;
  const isStale = isPast(cache, place, nowSeconds);
  const count = (words[place + Entry.bodyAndTtls] ?? 0) >>> 16;
  let at = ttlListStart(words, place);
  for (let i = 0; i < count; i++, at += 2) {
    const ttlAt = query.outStart + ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8));
    const left = readTtl(query.out, ttlAt) - passed;
    putU32(query.out, ttlAt, isStale ? staleTtlSeconds : Math.max(left, 0));
  }
}
