// Response times of the requests that a user makes: the median of several requests on an open connection,
// each reply checked. If several requests share a bar, the slowest is shown.

import type { Sluice } from '../dns/sluice.ts';
import { amountRow, type Row } from '../report.ts';
import { median } from '../rounds.ts';
import { QUERIES, type CountedName, type MadeHistory } from './made.ts';

const REQUESTS = 7;
/** The program queries the names of its list servers at the start, so counts may be higher. */
const MAX_MORE = 1_000;

type Reply = Readonly<Record<string, unknown>>;
type Question = { readonly path: string; readonly isRight: (reply: Reply) => boolean };

export async function questionRows(sluice: Sluice, made: MadeHistory): Promise<readonly Row[]> {
  const range = `from=${made.fromMs / 1000}&until=${Math.floor(Date.now() / 1000) + 3600}`;
  const row = (name: string, questions: readonly Question[], barMs: number): Promise<Row> =>
    slowestRow(sluice, `history: ${name}`, questions, barMs);
  return [
    await row('newest page, no filter', [page('', isAbout(QUERIES))], 20),
    await row('newest page, one filter', singleFilters(made), 200),
    await row('newest page, wildcard in the domain', wildcards(made), 300),
    await row('summary of the last 24 hours', sums(), 20),
    await row('top lists of the last 24 hours', topLists(), 20),
    await row('graphs of the last 24 hours', graphs.map(statistic), 20),
    await row('summary of 90 days', sums(range), 300),
    await row('top lists of 90 days', topLists(range), 300),
  ];
}

function page(query: string, isCount: (count: number) => boolean): Question {
  return {
    path: `/api/queries?${query}`,
    isRight: ({ recordsFiltered, queries }) =>
      isCount(Number(recordsFiltered)) && Array.isArray(queries) && queries.length > 0,
  };
}

function statistic(path: string): Question {
  return {
    path: `/api/${path}`,
    isRight: ({ truncated }) => truncated === false,
  };
}

function isAbout(least: number) {
  return (count: number) => count >= least && count < least + MAX_MORE;
}

function isSome(count: number): boolean {
  return count > 1_000;
}

function singleFilters(made: MadeHistory): Question[] {
  const named = ({ name, count }: CountedName): Question => page(`domain=${name}`, isAbout(count));
  return [
    ...[made.rare, made.middling, made.frequent].map(named),
    ...[made.client, made.seldomClient].map((client) => page(`client_ip=${client}`, isSome)),
    page(`upstream=${encodeURIComponent(made.upstream)}`, isSome),
    ...['type=SRV', 'status=GRAVITY_CNAME', 'reply=DOMAIN', 'dnssec=SECURE'].map((one) => page(one, isSome)),
    ...['upstream=blocklist', 'upstream=cache'].map((one) => page(one, isSome)),
    page(`until=${made.fromMs / 1000 + 86_400}`, isSome),
  ];
}

function wildcards({ rare, seldomClient }: MadeHistory): Question[] {
  return [
    page(`domain=*${rare.name.split('.')[0] ?? ''}.*`, (count) => count >= rare.count),
    ...['*site1*', '*example*', 'h1*.example'].map((pattern) => page(`domain=${pattern}`, isSome)),
    page(`client_ip=${seldomClient.slice(0, -1)}*`, isSome),
  ];
}

function topLists(range = ''): Question[] {
  const folder = range === '' ? 'stats' : 'stats/database';
  return ['top_domains', 'top_clients'].flatMap((name) =>
    ['false', 'true'].map((blocked) => statistic(`${folder}/${name}?blocked=${blocked}&${range}`)),
  );
}

function sums(range = ''): Question[] {
  return ['summary', 'query_types', 'upstreams'].map((name) => statistic(`stats/${name}?${range}`));
}

const graphs = ['history', 'history/clients'];

async function slowestRow(
  sluice: Sluice,
  name: string,
  questions: readonly Question[],
  barMs: number,
): Promise<Row> {
  let slowest = { path: '', tookMs: 0 };
  for (const question of questions) {
    const tookMs = await waitedMs(sluice, question);
    if (tookMs > slowest.tookMs) slowest = { path: question.path, tookMs };
  }
  const which = questions.length === 1 ? '' : ` (slowest of ${questions.length}: ${slowest.path})`;
  return amountRow(`${name}${which}`, slowest.tookMs, 'ms', barMs);
}

async function waitedMs({ url }: Sluice, { path, isRight }: Question): Promise<number> {
  const times: number[] = [];
  for (let request = 0; request < REQUESTS; request++) {
    const startedMs = performance.now();
    const reply = await fetch(`${url}${path}`);
    const text = await reply.text();
    times.push(performance.now() - startedMs);
    // Replies of our own API are objects.
    if (!reply.ok || !isRight(JSON.parse(text) as Reply))
      throw new Error(`GET ${path} gives a wrong reply: ${reply.status} ${text.slice(0, 300)}`);
  }
  return median(times);
}
