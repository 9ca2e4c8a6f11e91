// Which queries a reader of events wants: by the words of /api/queries, `*` in texts included. Readers who
// want the same have the same key, so that a batch is gone through once for all of them.

import { queryStatusNames } from '#contract';
import { classesOfStatuses, patternOf, StatusClass } from '#history/segments';
import type { QueryRow } from './query-row.ts';

export interface QueryWish {
  readonly domain?: string | undefined;
  /** Its address or its name. */
  readonly client?: string | undefined;
  /** Also `blocklist`, `cache` and `permitted`, which go by status. */
  readonly upstream?: string | undefined;
  /** A name that there is. */
  readonly status?: string | undefined;
}

export interface QueryFilter {
  /** The same for all who want the same. */
  readonly key: string;
  readonly fits: (row: QueryRow) => boolean;
}

type Test = (row: QueryRow) => boolean;

/** Nothing when every query is wanted. */
export const queryFilterOf = ({ domain, client, upstream, status }: QueryWish): QueryFilter | undefined => {
  const tests = [
    domain === undefined ? undefined : domainTest(domain),
    client === undefined ? undefined : clientTest(client),
    upstream === undefined ? undefined : upstreamTest(upstream),
    status === undefined ? undefined : statusTest(status),
  ].filter((test) => test !== undefined);
  if (tests.length === 0) return undefined;
  const key = JSON.stringify([domain, client, upstream, status]).toLowerCase();
  return { key, fits: (row) => tests.every((test) => test(row)) };
};

const domainTest = (wanted: string): Test => {
  const isLike = patternOf(wanted);
  return ({ domain }) => isLike(domain);
};

const clientTest = (wanted: string): Test => {
  const isLike = patternOf(wanted);
  return ({ client }) => isLike(client.ip) || (client.name !== null && isLike(client.name));
};

const statusTest = (wanted: string): Test => {
  const name = wanted.toUpperCase();
  return ({ status }) => status === name;
};

/** What follows a blank is the name of the upstream, as suggestions show it. */
const upstreamTest = (text: string): Test => {
  const [wanted = ''] = text.toLowerCase().split(' ');
  if (wanted === 'blocklist') return (row) => classOf(row) === StatusClass.blocked;
  if (wanted === 'permitted') return (row) => classOf(row) !== StatusClass.blocked;
  if (wanted === 'cache') return (row) => classOf(row) === StatusClass.cached;
  const isLike = patternOf(wanted);
  return ({ upstream }) => upstream !== null && isLike(upstream);
};

const classOf = ({ status }: QueryRow): number =>
  classesOfStatuses[queryStatusNames.findIndex((name) => name === status)] ?? StatusClass.other;
