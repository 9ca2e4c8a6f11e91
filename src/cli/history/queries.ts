// `sluice queries`: the log as a log is read in a terminal, the newest last, and with -f going on. Lines have
// columns of fixed widths, because those that come later are not known yet.

import type { ReplyBody } from '#contract';
import type { Talk } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { showJson, type ShowOptions } from '../listing.ts';
import { printable } from '../printable.ts';

type Query = ReplyBody<'getQueries', 200>['queries'][number];

export interface QueriesOptions extends ShowOptions {
  readonly count?: number;
  readonly domain?: string;
  readonly client?: string;
  readonly type?: string;
  readonly status?: string;
  readonly upstream?: string;
  /** Seconds. */
  readonly last?: number;
}

const usualCount = 30;
/** Queries that came since the last look; of more the older ones are passed over and told of. */
const newMax = 1_000;
const refused = 'The queries were not listed';

export const showQueries = async ({ call, terminal }: Talk, options: QueriesOptions): Promise<ExitCode> => {
  const { count = usualCount } = options;
  const reply = await call('getQueries', {
    query: { ...filtersOf(options, terminal.nowMs()), length: count },
  });
  if (!reply.ok) return refuse(terminal, refused, reply);
  if (options.json === true) return showJson(terminal, reply.body);
  if (reply.body.queries.length === 0) terminal.error('There are no such queries.');
  for (const query of reply.body.queries.toReversed()) terminal.print(lineOf(query));
  return exitCodes.ok;
};

/** Goes on until the service does not answer any more; `wait` says how often to look. */
export const followQueries = async (
  { call, terminal }: Talk,
  options: QueriesOptions,
  wait: () => Promise<void>,
): Promise<ExitCode> => {
  const show = options.json === true ? (query: Query) => JSON.stringify(query) : lineOf;
  const filters = filtersOf(options, terminal.nowMs());
  let length = options.count ?? usualCount;
  for (let shown = 0; ;) {
    const reply = await call('getQueries', { query: { ...filters, length } });
    if (!reply.ok) return refuse(terminal, refused, reply);
    const before = shown;
    const fresh = reply.body.queries.filter(({ id }) => id > before).toReversed();
    if (before > 0 && fresh.length === newMax) terminal.error(`… only the newest ${newMax} are shown …`);
    for (const query of fresh) terminal.print(show(query));
    // Also when none of them fits: what is older is not looked for again.
    shown = Math.max(shown, reply.body.cursor ?? 0);
    length = newMax;
    await wait();
  }
};

const filtersOf = (options: QueriesOptions, nowMs: number) => {
  const { domain, client, type, status, upstream, last } = options;
  return {
    ...(domain !== undefined && { domain }),
    ...(client !== undefined && { [isAddress(client) ? 'client_ip' : 'client_name']: client }),
    ...(type !== undefined && { type }),
    ...(status !== undefined && { status }),
    ...(upstream !== undefined && { upstream }),
    ...(last !== undefined && { from: nowMs / 1000 - last }),
  };
};

/** Or a pattern of one, as the service tells it from names in statistics. */
const isAddress = (client: string): boolean => client.includes(':') || /^[\d.*]+$/u.test(client);

/** Local time, client, type, status, how long it took, and the domain last, as it may be long. */
const lineOf = ({ time, client, type, status, reply, domain, cname }: Query): string => {
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
};

const timeText = (unixSeconds: number): string => {
  const date = new Date(unixSeconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
};
