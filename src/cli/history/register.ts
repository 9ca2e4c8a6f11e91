// How `sluice queries`, `sluice stats` and `sluice top` are called; the files beside this one do it.

import { setTimeout as sleep } from 'node:timers/promises';
import { Argument, Option, type Command } from 'commander';
import { limits } from '#contract';
import type { CommandContext } from '../context.ts';
import { jsonOption, withExamples, withOptions } from '../options.ts';
import { countOption, lastOption } from './options.ts';
import { followQueries, showQueries, type QueriesOptions } from './queries.ts';
import { showStats, type StatsOptions } from './stats.ts';
import { showTop, topKinds, type TopKind, type TopOptions } from './top.ts';

const followEveryMs = 1_000;

export const registerHistory = (program: Command, context: CommandContext): void => {
  registerQueries(program, context);
  registerStats(program, context);
  registerTop(program, context);
};

const registerQueries = (program: Command, context: CommandContext): void => {
  const queries = program.command('queries').description('show what was asked and answered, the newest last');
  withExamples(
    queries,
    'sluice queries',
    'sluice queries -f --client 192.168.1.5',
    "sluice queries --domain '*.example.org' --last 2h --upstream blocklist",
  );
  withOptions(queries, [
    new Option('-f, --follow', 'go on with new ones as they come, until it is interrupted'),
    countOption(limits.queriesPerPage),
    new Option('--domain <pattern>', 'only this domain; * stands for any run of characters'),
    new Option('--client <pattern>', 'only this client, by address or name'),
    new Option('--type <type>', 'only this query type: A, AAAA, HTTPS …'),
    new Option('--status <status>', 'only this status: FORWARDED, CACHE, GRAVITY …'),
    new Option('--upstream <upstream>', 'only this upstream, or blocklist, cache, permitted'),
    lastOption(),
    jsonOption(),
  ]).action(async ({ follow, ...options }: QueriesOptions & { follow?: boolean }) => {
    const wait = (): Promise<void> => sleep(followEveryMs);
    const shown = follow === true ? followQueries(context, options, wait) : showQueries(context, options);
    context.end(await shown);
  });
};

const registerStats = (program: Command, context: CommandContext): void => {
  const stats = program.command('stats').description('show the numbers of the last 24 hours');
  withExamples(stats, 'sluice stats', 'sluice stats --last 1h', 'sluice stats --client 192.168.1.5');
  withOptions(stats, [lastOption(), clientOption(), jsonOption()]).action(async (options: StatsOptions) =>
    context.end(await showStats(context, options)),
  );
};

const registerTop = (program: Command, context: CommandContext): void => {
  const top = program
    .command('top')
    .addArgument(new Argument('[what]', 'all three without').choices(topKinds))
    .description('show the most frequent domains, blocked domains and clients of the last 24 hours');
  withExamples(top, 'sluice top', 'sluice top blocked --count 20', 'sluice top domains --last 30d');
  withOptions(top, [countOption(limits.topEntries), lastOption(), clientOption(), jsonOption()]).action(
    async (what: TopKind | undefined, options: TopOptions) =>
      context.end(await showTop(context, what, options)),
  );
};

const clientOption = (): Option => new Option('--client <pattern>', 'only this client, by address or name');
