// Counters of one worker in shared memory: written by the worker alone, summed by the readers. Doubles,
// because a busy network passes 2^32 queries in days. Behind them lie the same answers by verdict, transport
// and response code, and what the worker makes known of itself now and then (see figures.ts). All names of
// counters come from here. This file has its own door, for readers that do not need the engine.

import { censusBytes } from './census-table.ts';
import { transports } from '../transport.ts';
import { originNames, verdictNumbers } from './layout.ts';
import { upstreamTableBytes } from './upstream-table.ts';

const counterNames = [
  'queries',
  /** Answers by origin: an origin's number is the place of its counter. */
  ...originNames,
  /** Answered REFUSED, if at all: not of this network. */
  'strangers',
  /** Answered REFUSED: over the rate limit. */
  'overLimit',
  'malformed',
  /** Queries that found no room to wait for their answer. */
  'overloaded',
  /** Asked while the same question was in flight. */
  'coalesced',
  'refreshed',
  /** Of the strangers: not answered at all, because their network asks too much. */
  'unanswered',
  /** Records of upstreams' replies that did not belong to the question, and were dropped. */
  'foreignRecords',
] as const;

export { originNames };
export type CounterName = (typeof counterNames)[number];
export type CounterSums = Readonly<Record<CounterName, number>>;

/** In the order of their numbers. */
export const verdictNames = Object.keys(verdictNumbers);
export const transportNames = Object.keys(transports);

/** In the order of their numbers up to REFUSED; the others are rare, and there are thousands of them. */
export const rcodeNames = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'other',
] as const;
const otherRcode = rcodeNames.length - 1;

/** The rules that took the most steps then, first of all the worst: list, or own rule, and line. */
export const costlyRuleCount = 3;
const costlyRuleNames = [
  'costlyList1',
  'costlyRule1',
  'costlyLine1',
  'costlyList2',
  'costlyRule2',
  'costlyLine2',
  'costlyList3',
  'costlyRule3',
  'costlyLine3',
] as const;

export const publishedNames = [
  'cacheEntries',
  'cacheBytes',
  'cacheCapacityBytes',
  'cacheRoom',
  'cacheInserted',
  'cacheEvicted',
  'listNames',
  /** Names for which expressions were left unfinished. */
  'unfinishedNames',
  ...costlyRuleNames,
] as const;

export const verdictsAt = counterNames.length;
export const transportsAt = verdictsAt + verdictNames.length;
export const rcodesAt = transportsAt + transportNames.length;
export const publishedAt = rcodesAt + rcodeNames.length;
export const upstreamsAtBytes = (publishedAt + publishedNames.length) * 8;

export const censusAtBytes = upstreamsAtBytes + upstreamTableBytes;

export const countersBytes = censusAtBytes + censusBytes;

export function rcodePlace(rcode: number): number {
  return rcodesAt + (rcode < otherRcode ? rcode : otherRcode);
}

/** The place of each counter. */
// The names above are the keys, in their order.
export const Counter = Object.fromEntries(counterNames.map((name, index) => [name, index])) as Readonly<
  Record<CounterName, number>
>;

/** All zero without memories. */
export function readCounters(memories: readonly SharedArrayBuffer[]): CounterSums {
  const views = memories.map((memory) => new Float64Array(memory));
  const sum = (index: number): number => views.reduce((total, view) => total + (view[index] ?? 0), 0);
  // One number for each name.
  return Object.fromEntries(counterNames.map((name, index) => [name, sum(index)])) as CounterSums;
}
