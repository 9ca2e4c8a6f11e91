// `sluice simulate`: what rules or lists, added or left out, would have made of the queries that were asked.
// Nothing is changed by it.

import { Option, type Command } from 'commander';
import { limits, type ReplyBody } from '#contract';
import type { CommandContext, Talk } from './context.ts';
import { findPlace } from './domains/find.ts';
import type { Place } from './domains/place.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refuse } from './failure.ts';
import { groupIds } from './groups/lookup.ts';
import { countOption, lastOption } from './history/options.ts';
import { cutNotice } from './history/stats.ts';
import { showJson, type ShowOptions } from './listing.ts';
import { groupOption, jsonOption, withExamples, withOptions } from './options.ts';
import { tableOf } from './table.ts';
import type { Terminal } from './terminal.ts';

interface SimulateOptions extends ShowOptions {
  readonly deny?: readonly string[];
  readonly allow?: readonly string[];
  readonly denyRegex?: readonly string[];
  readonly allowRegex?: readonly string[];
  readonly withoutRule?: readonly string[];
  readonly list?: readonly string[];
  readonly allowList?: readonly string[];
  readonly withoutList?: readonly string[];
  readonly group?: readonly string[];
  /** Seconds. */
  readonly last?: number;
  readonly count?: number;
}

type Simulated = ReplyBody<'simulate', 200>;
type Difference = Simulated['blocked'];
type Rule = Place & { readonly domain: string };

export const registerSimulate = (program: Command, context: CommandContext): void => {
  const simulate = program
    .command('simulate')
    .description('show what rules or lists would have blocked or set free in the last 24 hours');
  withExamples(
    simulate,
    "sluice simulate --deny '*.ads.example' --last 7d",
    'sluice simulate --list https://lists.example.com/hosts.txt --group Children',
    'sluice simulate --without-list 2 --without-rule shop.example',
  );
  withOptions(simulate, [
    many('--deny <domain>', 'as if this domain were denied'),
    many('--allow <domain>', 'as if it were allowed'),
    many('--deny-regex <expression>', 'as if this expression were denied'),
    many('--allow-regex <expression>', 'as if it were allowed'),
    many('--without-rule <domain>', 'as if there were no such rule'),
    many('--list <list>', 'as if this list blocked: its address, or the id of a subscribed one'),
    many('--allow-list <list>', 'as if this list allowed: its address'),
    many('--without-list <list>', 'as if there were no such list: its address or id'),
    groupOption('the group that is meant by what is added, instead of the default group'),
    lastOption(),
    countOption(limits.topEntries),
    jsonOption(),
  ]).action(async (options: SimulateOptions) => context.end(await showSimulation(context, options)));
};

const many = (flags: string, description: string): Option =>
  new Option(flags, `${description}; may be repeated`).argParser(
    (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
  );

export const showSimulation = async (talk: Talk, options: SimulateOptions): Promise<ExitCode> => {
  const { call, terminal } = talk;
  const groups = await groupIds(call, options.group);
  const removed = await placesOf(talk, options.withoutRule ?? []);
  const problem = groups.ok ? removed.problem : groups.problem;
  if (!groups.ok || problem !== undefined) {
    terminal.error(problem ?? '');
    return exitCodes.failed;
  }
  const change = changeOf(options, groups.value, removed.rules);
  const reply = await call('simulate', { body: { ...change, ...extentOf(options, terminal) } });
  if (!reply.ok) return refuse(terminal, 'Nothing was simulated', reply);
  if (options.json === true) return showJson(terminal, reply.body);
  terminal.print(textOf(reply.body));
  if (reply.body.truncated) terminal.error(cutNotice);
  return exitCodes.ok;
};

const extentOf = ({ last, count }: SimulateOptions, { nowMs }: Terminal) => ({
  ...(last !== undefined && { from: nowMs() / 1000 - last }),
  ...(count !== undefined && { count }),
});

const placesOf = async ({ call }: Talk, domains: readonly string[]) => {
  const rules: Rule[] = [];
  for (const domain of domains) {
    const found = await findPlace(call, domain, {});
    if (!found.ok) return { rules, problem: found.problem };
    rules.push({ ...found.place, domain });
  }
  return { rules, problem: undefined };
};

const changeOf = (options: SimulateOptions, groups: number[] | undefined, removed: Rule[]) => {
  const forGroups = groups === undefined ? {} : { groups };
  const rules = (domains: readonly string[] = [], place: Place) =>
    domains.map((domain) => ({ domain, ...place, ...forGroups }));
  const { list = [], allowList = [], withoutList = [] } = options;
  return {
    rules: {
      add: [
        ...rules(options.deny, { type: 'deny', kind: 'exact' }),
        ...rules(options.allow, { type: 'allow', kind: 'exact' }),
        ...rules(options.denyRegex, { type: 'deny', kind: 'regex' }),
        ...rules(options.allowRegex, { type: 'allow', kind: 'regex' }),
      ],
      remove: removed,
    },
    lists: {
      add: [
        ...list.map((text) => ({ ...listOf(text), ...forGroups })),
        ...allowList.map((text) => ({ ...listOf(text), type: 'allow' as const, ...forGroups })),
      ],
      remove: withoutList.map(listOf),
    },
  };
};

const listOf = (text: string) => (/^\d{1,9}$/u.test(text) ? { id: Number(text) } : { address: text });

const textOf = ({ queries, blocked_before, blocked_after, blocked, freed }: Simulated): string =>
  [
    `Of ${queries} queries ${blocked_before} are blocked by the rules as they are, ` +
      `and ${blocked_after} would be.`,
    ...partText('blocked', blocked),
    ...partText('free', freed),
  ].join('\n');

const partText = (what: string, { queries, domains, clients, top_domains, top_clients }: Difference) => {
  if (queries === 0) return ['', `None would be ${what} that is not now.`];
  const asked = `${queries} queries for ${domains} domains by ${clients} clients`;
  return [
    '',
    `${asked} would be ${what} that are not now:`,
    tableOf(
      { queries: ({ count }) => String(count), domain: ({ domain }) => domain, by: ({ by }) => by },
      top_domains,
    ),
    tableOf(
      {
        queries: ({ count }) => String(count),
        client: ({ name, ip }) => (name === '' ? ip : `${name} (${ip})`),
      },
      top_clients,
    ),
  ];
};
