// `sluice queries`: prints the query log, the newest last; with -f it continues with new queries. Columns
// have fixed widths, because later lines are not known yet.

import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { limits, type ReplyBody } from '#contract';
import type { CommandContext, Talk } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { showJson, type ShowOptions } from '../listing.ts';
import { jsonOption, withExamples, withOptions } from '../options.ts';
import { printable } from '../printable.ts';
import { countOption, lastOption } from './options.ts';

type Query = ReplyBody<'getQueries', 200>['queries'][number];

interface QueriesOptions extends ShowOptions {
  readonly count?: number;
  readonly domain?: string;
  readonly client?: string;
  readonly type?: string;
  readonly status?: string;
  readonly upstream?: string;
  /** Seconds. */
  readonly last?: number;
}

const defaultCount = 30;
const followIntervalMs = 1_000;
const failure = 'The queries cannot be listed';

export function registerQueries(program: Command, context: CommandContext): void {
  const queries = program.command('queries').description('show queries and their answers, the newest last');
  withExamples(
    queries,
    'sluice queries',
    'sluice queries -f --client 192.168.1.5',
    "sluice queries --domain '*.example.org' --last 2h --upstream blocklist",
  );
  withOptions(queries, [
    new Option('-f, --follow', 'continue with new queries as they arrive; Ctrl-C ends it'),
    countOption(limits.queriesPerPage),
    new Option('--domain <pattern>', 'only this domain; * matches any characters'),
    new Option('--client <pattern>', 'only this client, by address or name'),
    new Option('--type <type>', 'only this query type: A, AAAA, HTTPS …'),
    new Option('--status <status>', 'only this status: FORWARDED, CACHE, GRAVITY …'),
    new Option('--upstream <upstream>', 'only this upstream, or blocklist, cache, permitted'),
    lastOption(),
    jsonOption(),
  ]).action(async ({ follow, ...options }: QueriesOptions & { follow?: boolean }) => {
    const wait = (): Promise<void> => sleep(followIntervalMs);
    const shown = follow === true ? followQueries(context, options, wait) : showQueries(context, options);
    context.end(await shown);
  });
}

export async function showQueries({ call, terminal }: Talk, options: QueriesOptions): Promise<ExitCode> {
  const { count = defaultCount } = options;
  const reply = await call('getQueries', {
    query: { ...filtersOf(options, terminal.nowMs()), length: count },
  });
  if (!reply.ok) return refuse(terminal, failure, reply);
  if (options.json === true) return showJson(terminal, reply.body);
  if (reply.body.queries.length === 0) terminal.error('There are no such queries.');
  for (const query of reply.body.queries.toReversed()) terminal.print(lineOf(query));
  return exitCodes.ok;
}

/** Runs until a request fails; calls `wait` between two requests. */
export async function followQueries(
  { call, terminal }: Talk,
  options: QueriesOptions,
  wait: () => Promise<void>,
): Promise<ExitCode> {
  const show = options.json === true ? (query: Query) => JSON.stringify(query) : lineOf;
  const filters = filtersOf(options, terminal.nowMs());
  let length = options.count ?? defaultCount;
  for (let shown = 0; ;) {
    const reply = await call('getQueries', { query: { ...filters, length } });
    if (!reply.ok) return refuse(terminal, failure, reply);
    const before = shown;
    const fresh = reply.body.queries.filter(({ id }) => id > before).toReversed();
    if (before > 0 && fresh.length === limits.queriesFollowed)
      terminal.error(`… only the newest ${limits.queriesFollowed} are shown …`);
    for (const query of fresh) terminal.print(show(query));
    // Also when no query matched, so that older ones are not requested again.
    shown = Math.max(shown, reply.body.cursor ?? 0);
    length = limits.queriesFollowed;
    await wait();
  }
}

function filtersOf(options: QueriesOptions, nowMs: number) {
  const { domain, client, type, status, upstream, last } = options;
  return {
    ...(domain !== undefined && { domain }),
    ...(client !== undefined && { [isAddress(client) ? 'client_ip' : 'client_name']: client }),
    ...(type !== undefined && { type }),
    ...(status !== undefined && { status }),
    ...(upstream !== undefined && { upstream }),
    ...(last !== undefined && { from: nowMs / 1000 - last }),
  };
}

/**
 * An address or a pattern of one; everything else is a name. The service decides the same way in statistics.
 */
function isAddress(client: string): boolean {
  return client.includes(':') || /^[\d.*]+$/u.test(client);
}

/** The domain comes last, because it may be long. */
function lineOf({ time, client, type, status, reply, domain, cname }: Query): string {
  const cells = [
    timeText(time).padEnd(19),
    (client.name ?? client.ip).padEnd(15),
    type.padEnd(5),
    status.padEnd(9),
    reply.type.padEnd(8),
    `${(reply.time * 1000).toFixed(1)} ms`.padStart(9),
    cname === null ? domain : `${domain} (${cname})`,
  ];
  return printable(cells.join('  '));
}

function timeText(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
