// `sluice stats`: how many queries, and what became of them, in a few lines.

import type { ReplyBody } from '#contract';
import { dateText } from '../cells.ts';
import type { Talk } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { showJson, type ShowOptions } from '../listing.ts';
import { renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

type Summary = ReplyBody<'getSummary', 200>;

export interface StatsOptions extends ShowOptions {
  /** Seconds. */
  readonly last?: number;
  readonly client?: string;
}

/** What a statistic is narrowed by. */
export const scopeOf = ({ last, client }: StatsOptions, { nowMs }: Terminal) => ({
  ...(last !== undefined && { from: nowMs() / 1000 - last }),
  ...(client !== undefined && { client }),
});

export const showStats = async ({ call, terminal }: Talk, options: StatsOptions): Promise<ExitCode> => {
  const reply = await call('getSummary', { query: scopeOf(options, terminal) });
  if (!reply.ok) return refuse(terminal, 'The statistics were not made', reply);
  if (options.json === true) return showJson(terminal, reply.body);
  terminal.print(statsText(reply.body));
  if (reply.body.truncated) terminal.error(cutNotice);
  return exitCodes.ok;
};

export const cutNotice = 'The time was over before everything was counted: older queries are missing.';

const statsText = ({ queries, clients, gravity }: Summary): string => {
  const share = (part: number): string =>
    queries.total === 0 ? '' : `${((part * 100) / queries.total).toFixed(1)} %`;
  const updated = gravity.last_update === 0 ? '' : `updated ${dateText(gravity.last_update)}`;
  const [head, ...rows] = [
    ['queries', String(queries.total), `${queries.frequency.toFixed(1)} per second now`],
    ['blocked', String(queries.blocked), share(queries.blocked)],
    ['forwarded', String(queries.forwarded), share(queries.forwarded)],
    ['cached', String(queries.cached), share(queries.cached)],
    ['domains', String(queries.unique_domains), ''],
    ['clients', String(clients.active), `${clients.total} known`],
    ['names on lists', String(gravity.domains_being_blocked), updated],
  ];
  return renderTable(head, rows);
};
