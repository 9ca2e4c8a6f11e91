// For tests: the same queries as plain objects, and statistics that loop over all of them. It is slow but
// obviously correct, so the store is compared with it.

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

/** The largest counts without their names, because the order of equal counts is undefined. */
export function largest(counts: ReadonlyMap<string, number>, most: number): number[] {
  return [...counts.values()].toSorted((a, b) => b - a).slice(0, most);
}

export function blockedOnly(rows: readonly NaiveRow[]): NaiveRow[] {
  return rows.filter(({ status }) => isBlocked(status));
}

export function permittedOnly(rows: readonly NaiveRow[]): NaiveRow[] {
  return rows.filter(({ status }) => !isBlocked(status));
}
