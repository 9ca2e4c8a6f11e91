// `sluice top`: the domains with the most queries, the most blocked domains, and the most active clients.

import { Argument, type Command } from 'commander';
import { limits } from '#contract';
import type { CommandContext, Talk } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { showJson } from '../listing.ts';
import { jsonOption, withExamples, withOptions } from '../options.ts';
import { renderTable } from '../table.ts';
import { countOption, lastOption } from './options.ts';
import { clientOption, filtersOf, truncationNotice, type StatsOptions } from './stats.ts';

const topKinds = ['domains', 'blocked', 'clients'] as const;
type TopKind = (typeof topKinds)[number];

interface TopOptions extends StatsOptions {
  readonly count?: number;
}

interface Entry {
  readonly count: number;
  readonly domain?: string;
  readonly ip?: string;
  readonly name?: string;
}

const titles: Readonly<Record<TopKind, string>> = {
  domains: 'permitted domain',
  blocked: 'blocked domain',
  clients: 'client',
};

export function registerTop(program: Command, context: CommandContext): void {
  const top = program
    .command('top')
    .addArgument(new Argument('[what]', 'one ranking instead of all three').choices(topKinds))
    .description('show the most frequent domains, blocked domains and clients of the last 24 hours');
  withExamples(top, 'sluice top', 'sluice top blocked --count 20', 'sluice top domains --last 30d');
  withOptions(top, [countOption(limits.topEntries), lastOption(), clientOption(), jsonOption()]).action(
    async (what: TopKind | undefined, options: TopOptions) =>
      context.end(await showTop(context, what, options)),
  );
}

/** One ranking, or all three without `kind`. */
export async function showTop(talk: Talk, kind: TopKind | undefined, options: TopOptions): Promise<ExitCode> {
  const { terminal } = talk;
  const kinds = kind === undefined ? topKinds : [kind];
  const found: Record<string, object> = {};
  for (const [at, wanted] of kinds.entries()) {
    const reply = await readRanking(talk, wanted, options);
    if (!reply.ok) return refuse(terminal, `The ranking of ${wanted} cannot be read`, reply);
    const entries: readonly Entry[] = 'domains' in reply.body ? reply.body.domains : reply.body.clients;
    found[wanted] = entries;
    if (options.json === true) continue;
    if (at > 0) terminal.print('');
    terminal.print(topText(wanted, entries));
    if (reply.body.truncated) terminal.error(truncationNotice);
  }
  return options.json === true ? showJson(terminal, found) : exitCodes.ok;
}

function readRanking({ call, terminal }: Talk, kind: TopKind, options: TopOptions) {
  const { count } = options;
  const query = { ...filtersOf(options, terminal), ...(count !== undefined && { count }) };
  if (kind === 'clients') return call('getTopClients', { query });
  return call('getTopDomains', { query: { ...query, blocked: kind === 'blocked' } });
}

function topText(kind: TopKind, entries: readonly Entry[]): string {
  const named = ({ domain, ip = '', name = '' }: Entry): string =>
    domain ?? (name === '' ? ip : `${name} (${ip})`);
  return renderTable(
    ['queries', titles[kind]],
    entries.map((entry) => [String(entry.count), named(entry)]),
  );
}
