// `sluice top`: what was asked for most, what was blocked most, and who asked most.

import type { Talk } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { showJson } from '../listing.ts';
import { renderTable } from '../table.ts';
import { cutNotice, scopeOf, type StatsOptions } from './stats.ts';

export const topKinds = ['domains', 'blocked', 'clients'] as const;
export type TopKind = (typeof topKinds)[number];

export interface TopOptions extends StatsOptions {
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

/** One of them, or all three. */
export const showTop = async (
  talk: Talk,
  kind: TopKind | undefined,
  options: TopOptions,
): Promise<ExitCode> => {
  const { terminal } = talk;
  const kinds = kind === undefined ? topKinds : [kind];
  const found: Record<string, object> = {};
  for (const [at, wanted] of kinds.entries()) {
    const reply = await askFor(talk, wanted, options);
    if (!reply.ok) return refuse(terminal, `The ranking of ${wanted} was not made`, reply);
    const entries: readonly Entry[] = 'domains' in reply.body ? reply.body.domains : reply.body.clients;
    found[wanted] = entries;
    if (options.json === true) continue;
    if (at > 0) terminal.print('');
    terminal.print(topText(wanted, entries));
    if (reply.body.truncated) terminal.error(cutNotice);
  }
  return options.json === true ? showJson(terminal, found) : exitCodes.ok;
};

const askFor = ({ call, terminal }: Talk, kind: TopKind, options: TopOptions) => {
  const { count } = options;
  const query = { ...scopeOf(options, terminal), ...(count !== undefined && { count }) };
  if (kind === 'clients') return call('getTopClients', { query });
  return call('getTopDomains', { query: { ...query, blocked: kind === 'blocked' } });
};

const topText = (kind: TopKind, entries: readonly Entry[]): string => {
  const named = ({ domain, ip = '', name = '' }: Entry): string =>
    domain ?? (name === '' ? ip : `${name} (${ip})`);
  return renderTable(
    ['queries', titles[kind]],
    entries.map((entry) => [String(entry.count), named(entry)]),
  );
};
