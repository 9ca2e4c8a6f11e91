// The query types and the fields that the endpoints of history and statistics share. Existing clients know
// all type names and compare them. Names of statuses, replies and DNSSEC states are in query-names.ts.

import { Type, type TInteger, type TObject } from 'typebox';
import { limits } from '../limits.ts';

/** Types that are counted by name, with their numbers (RFC 1035 and later); all others are `OTHER`. */
export const queryTypes = {
  A: 1,
  AAAA: 28,
  ANY: 255,
  SRV: 33,
  SOA: 6,
  PTR: 12,
  TXT: 16,
  NAPTR: 35,
  MX: 15,
  DS: 43,
  RRSIG: 46,
  DNSKEY: 48,
  NS: 2,
  SVCB: 64,
  HTTPS: 65,
} as const;

export const queryTypeNames = [
  'A',
  'AAAA',
  'ANY',
  'SRV',
  'SOA',
  'PTR',
  'TXT',
  'NAPTR',
  'MX',
  'DS',
  'RRSIG',
  'DNSKEY',
  'NS',
  'SVCB',
  'HTTPS',
  'OTHER',
] as const;

/** The same for the long-term statistics, which have `OTHER` at another position. */
export const longTermTypeNames = [
  'A',
  'AAAA',
  'ANY',
  'SRV',
  'SOA',
  'PTR',
  'TXT',
  'NAPTR',
  'MX',
  'DS',
  'RRSIG',
  'DNSKEY',
  'NS',
  'OTHER',
  'SVCB',
  'HTTPS',
] as const;

export const Count = Type.Integer({ minimum: 0 });

/** The schema of an object with a count for each name. */
export function countsOf<const N extends string>(names: readonly N[]): TObject<Record<N, TInteger>> {
  const counts = Object.fromEntries(names.map((name) => [name, Count]));
  // Built from the names, so it has exactly these.
  return Type.Object(counts as unknown as Record<N, TInteger>);
}

export function zerosOf(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, 0]));
}

export const Truncated = Type.Boolean({
  description: 'The time limit was reached: the result covers only the newest queries',
});

function text(description: string) {
  return Type.Optional(Type.String({ maxLength: limits.domainTextLength, description }));
}

function unixTime(description: string) {
  return Type.Number({ minimum: 1, description });
}

const narrowing = {
  group: text('Only queries of clients that are in this group now, by its id or name'),
  client: text('Only queries of this client, by address or by name; `*` stands for any run of characters'),
  list: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2 ** 31,
      description: 'Only queries decided by the list with this id',
    }),
  ),
};

/** Filters of every statistic of the last 24 hours. */
export const scopeFields = {
  from: Type.Optional(unixTime('Unix time in seconds; by default 24 hours before `until`')),
  until: Type.Optional(unixTime('Unix time in seconds, exclusive; by default now')),
  ...narrowing,
};

/** The same filters where the range is required. */
export const longTermFields = {
  from: unixTime('Unix time in seconds'),
  until: unixTime('Unix time in seconds, exclusive'),
  ...narrowing,
};

export const longTermErrors = {
  from: { missing: 'noTimeRange', wrong: 'noTimeRange' },
  until: { missing: 'noTimeRange', wrong: 'noTimeRange' },
} as const;
