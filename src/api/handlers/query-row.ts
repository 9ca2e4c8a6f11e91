// A stored query as a row of the API, without what the privacy level hides.

import { queryDnssecNames, queryReplyNames, queryStatusNames, queryTypes, type ReplyBody } from '#contract';
import { hiddenClient, hiddenName, type HistoryRow, listIdOf } from '#history/segments';

export type QueryResult = ReplyBody<'getQueries', 200>['queries'][number];

export interface Hidden {
  readonly domains: boolean;
  readonly clients: boolean;
}

const typeNames = new Map<number, string>(Object.entries(queryTypes).map(([name, number]) => [number, name]));

/** The texts of RFC 8914 section 4 and its registry, by code, as existing clients know them. */
const edeTexts = [
  'other',
  'unsupported DNSKEY algorithm',
  'unsupported DS digest',
  'stale answer',
  'forged',
  'DNSSEC indeterminate',
  'DNSSEC bogus',
  'DNSSEC signature expired',
  'DNSSEC sig not yet valid',
  'DNSKEY missing',
  'RRSIG missing',
  'no zone key bit set',
  'NSEC(3) missing',
  'cached error',
  'not ready',
  'blocked',
  'censored',
  'filtered',
  'prohibited',
  'stale NXDOMAIN',
  'not authoritative',
  'not supported',
  'no reachable authority',
  'network error',
  'invalid data',
  'signature expired before valid',
  'too early',
  'unsupported NSEC3 iterations value',
  'unable to conform to policy',
  'synthesized',
] as const;

function typeName(type: number): string {
  return typeNames.get(type) ?? `TYPE${type}`;
}

export function presentQuery(row: HistoryRow, hidden: Hidden): QueryResult {
  return {
    id: row.id,
    time: row.timeMs / 1000,
    type: typeName(row.type),
    status: queryStatusNames[row.status] ?? 'UNKNOWN',
    dnssec: queryDnssecNames[row.dnssec] ?? 'UNKNOWN',
    domain: hidden.domains ? hiddenName : row.domain,
    upstream: orNull(row.upstream),
    reply: { type: queryReplyNames[row.reply] ?? 'UNKNOWN', time: row.durationUs / 1e6 },
    client: hidden.clients
      ? { ip: hiddenClient, name: null }
      : { ip: row.clientIp, name: orNull(row.clientName) },
    // Most rules of users are for one name, so the id of the rule would reveal the name.
    list_id: listIdOf(hidden.domains ? { ...row, ruleId: 0 } : row),
    ede: { code: row.ede, text: row.ede > 0 ? (edeTexts[row.ede] ?? null) : null },
    cname: hidden.domains ? null : orNull(row.cname),
  };
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}
