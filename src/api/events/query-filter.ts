// Selects the queries that a reader of events gets, with the parameters of /api/queries, including `*` in
// texts. Equal filters have the same key, so that a batch is filtered once for all their readers.

import { queryStatusNames } from '#contract';
import { classesOfStatuses, patternOf, StatusClass } from '#history/segments';
import type { QueryRow } from './query-row.ts';

export interface QueryFilterInput {
  readonly domain?: string | undefined;
  /** Address or name of the client. */
  readonly client?: string | undefined;
  /** Also `blocklist`, `cache` and `permitted`, which select by status. */
  readonly upstream?: string | undefined;
  /** A valid name of a status. */
  readonly status?: string | undefined;
}

export interface QueryFilter {
  /** The same for equal filters. */
  readonly key: string;
  readonly matches: (row: QueryRow) => boolean;
}

type Test = (row: QueryRow) => boolean;

/** Undefined when every query is selected. */
export function queryFilterOf({
  domain,
  client,
  upstream,
  status,
}: QueryFilterInput): QueryFilter | undefined {
  const tests = [
    domain === undefined ? undefined : domainTest(domain),
    client === undefined ? undefined : clientTest(client),
    upstream === undefined ? undefined : upstreamTest(upstream),
    status === undefined ? undefined : statusTest(status),
  ].filter((test) => test !== undefined);
  if (tests.length === 0) return undefined;
  const key = JSON.stringify([domain, client, upstream, status]).toLowerCase();
  return { key, matches: (row) => tests.every((test) => test(row)) };
}

function domainTest(wanted: string): Test {
  const isLike = patternOf(wanted);
  return ({ domain }) => isLike(domain);
}

function clientTest(wanted: string): Test {
  const isLike = patternOf(wanted);
  return ({ client }) => isLike(client.ip) || (client.name !== null && isLike(client.name));
}

function statusTest(wanted: string): Test {
  const name = wanted.toUpperCase();
  return ({ status }) => status === name;
}

/** The text after a space is the name of the upstream, as in the suggestions; it is ignored. */
function upstreamTest(text: string): Test {
  const [wanted = ''] = text.toLowerCase().split(' ');
  if (wanted === 'blocklist') return (row) => classOf(row) === StatusClass.blocked;
  if (wanted === 'permitted') return (row) => classOf(row) !== StatusClass.blocked;
  if (wanted === 'cache') return (row) => classOf(row) === StatusClass.cached;
  const isLike = patternOf(wanted);
  return ({ upstream }) => upstream !== null && isLike(upstream);
}

function classOf({ status }: QueryRow): number {
  return classesOfStatuses[queryStatusNames.findIndex((name) => name === status)] ?? StatusClass.other;
}
