// `sluice stats`: totals of queries and how they were answered, in a few lines.

import { Option, type Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateText } from '../cells.ts';
import type { CommandContext, Talk } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { showJson, type ShowOptions } from '../listing.ts';
import { jsonOption, withExamples, withOptions } from '../options.ts';
import { renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { lastOption } from './options.ts';

type Summary = ReplyBody<'getSummary', 200>;

export interface StatsOptions extends ShowOptions {
  /** Seconds. */
  readonly last?: number;
  readonly client?: string;
}

export function registerStats(program: Command, context: CommandContext): void {
  const stats = program.command('stats').description('show statistics of the last 24 hours');
  withExamples(stats, 'sluice stats', 'sluice stats --last 1h', 'sluice stats --client 192.168.1.5');
  withOptions(stats, [lastOption(), clientOption(), jsonOption()]).action(async (options: StatsOptions) =>
    context.end(await showStats(context, options)),
  );
}

export function clientOption(): Option {
  return new Option('--client <pattern>', 'only this client, by address or name');
}

/** The filters of a statistic. */
export function filtersOf({ last, client }: StatsOptions, { nowMs }: Terminal) {
  return {
    ...(last !== undefined && { from: nowMs() / 1000 - last }),
    ...(client !== undefined && { client }),
  };
}

export async function showStats({ call, terminal }: Talk, options: StatsOptions): Promise<ExitCode> {
  const reply = await call('getSummary', { query: filtersOf(options, terminal) });
  if (!reply.ok) return refuse(terminal, 'The statistics cannot be read', reply);
  if (options.json === true) return showJson(terminal, reply.body);
  terminal.print(statsText(reply.body));
  if (reply.body.truncated) terminal.error(truncationNotice);
  return exitCodes.ok;
}

export const truncationNotice = 'Counting took too long: older queries are missing.';

function statsText({ queries, clients, gravity }: Summary): string {
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
}
