// For tests only: the same queries as plain objects, and every question answered by going through all of
// them. Slow and plain to see through, so that it tells when the store is wrong.

import { madeAddress, madeName, madeUpstreams, type MadeQuery } from './generator.ts';
import { countsUpstream, refinedStatus } from '../../history/segments/row-mapping.ts';
import { isBlocked } from '../../history/segments/statuses.ts';

export interface NaiveRow {
  readonly id: number;
  readonly timeMs: number;
  readonly domain: string;
  readonly clientIp: string;
  readonly upstream: string;
  readonly type: number;
  readonly status: number;
  readonly reply: number;
  readonly dnssec: number;
  readonly ruleId: number;
  readonly listId: number;
  readonly durationUs: number;
  readonly rcode: number;
}

export function naiveRow(query: MadeQuery, id: number): NaiveRow {
  const status = refinedStatus(query.origin | (query.reason << 12), query.rcode);
  return {
    id,
    timeMs: Math.floor(query.timeMs),
    domain: madeName(query.name),
    clientIp: madeAddress(query.client),
    upstream: countsUpstream(status) ? (madeUpstreams[query.upstream] ?? '') : '',
    type: query.type,
    status,
    reply: query.replyKind,
    dnssec: query.dnssec,
    ruleId: query.ruleId,
    listId: query.listId,
    durationUs: query.durationUs,
    rcode: query.rcode,
  };
}

export function countBy(
  rows: readonly NaiveRow[],
  of: (row: NaiveRow) => string | number,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(String(of(row)), (counts.get(String(of(row))) ?? 0) + 1);
  return counts;
}

/** The counts of the largest, without their names: of equal ones any may stand at the end. */
export const largest = (counts: ReadonlyMap<string, number>, most: number): number[] =>
  [...counts.values()].toSorted((a, b) => b - a).slice(0, most);

export const blockedOnly = (rows: readonly NaiveRow[]): NaiveRow[] =>
  rows.filter(({ status }) => isBlocked(status));

export const permittedOnly = (rows: readonly NaiveRow[]): NaiveRow[] =>
  rows.filter(({ status }) => !isBlocked(status));
