// `sluice simulate`: shows which stored queries other rules or lists would have blocked or allowed. It
// changes nothing.

import { Option, type Command } from 'commander';
import { limits, type ReplyBody } from '#contract';
import type { CommandContext, Talk } from './context.ts';
import { findKey, type DomainKey } from './domains/key.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refuse } from './failure.ts';
import { groupIds } from './groups/lookup.ts';
import { countOption, lastOption } from './history/options.ts';
import { truncationNotice } from './history/stats.ts';
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
type Rule = DomainKey & { readonly domain: string };

export function registerSimulate(program: Command, context: CommandContext): void {
  const simulate = program
    .command('simulate')
    .description('show what other rules or lists would have blocked or allowed in the last 24 hours');
  withExamples(
    simulate,
    "sluice simulate --deny '*.ads.example' --last 7d",
    'sluice simulate --list https://lists.example.com/hosts.txt --group Children',
    'sluice simulate --without-list 2 --without-rule shop.example',
  );
  withOptions(simulate, [
    repeatable('--deny <domain>', 'add a rule that denies this domain'),
    repeatable('--allow <domain>', 'add a rule that allows this domain'),
    repeatable('--deny-regex <expression>', 'add a rule that denies this regular expression'),
    repeatable('--allow-regex <expression>', 'add a rule that allows this regular expression'),
    repeatable('--without-rule <domain>', 'leave out this rule'),
    repeatable('--list <list>', 'add a blocking list: its address, or the id of a subscription'),
    repeatable('--allow-list <list>', 'add an allowing list: its address'),
    repeatable('--without-list <list>', 'leave out this list: its address or id'),
    groupOption('apply additions to this group, not to the default group'),
    lastOption(),
    countOption(limits.topEntries),
    jsonOption(),
  ]).action(async (options: SimulateOptions) => context.end(await showSimulation(context, options)));
}

function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be repeated`).argParser(
    (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
  );
}

export async function showSimulation(talk: Talk, options: SimulateOptions): Promise<ExitCode> {
  const { call, terminal } = talk;
  const groups = await groupIds(call, options.group);
  const removed = await rulesOf(talk, options.withoutRule ?? []);
  const problem = groups.ok ? removed.problem : groups.problem;
  if (!groups.ok || problem !== undefined) {
    terminal.error(problem ?? '');
    return exitCodes.failed;
  }
  const change = changeOf(options, groups.value, removed.rules);
  const reply = await call('simulate', { body: { ...change, ...rangeOf(options, terminal) } });
  if (!reply.ok) return refuse(terminal, 'The simulation failed', reply);
  if (options.json === true) return showJson(terminal, reply.body);
  terminal.print(textOf(reply.body));
  if (reply.body.truncated) terminal.error(truncationNotice);
  return exitCodes.ok;
}

function rangeOf({ last, count }: SimulateOptions, { nowMs }: Terminal) {
  return {
    ...(last !== undefined && { from: nowMs() / 1000 - last }),
    ...(count !== undefined && { count }),
  };
}

async function rulesOf({ call }: Talk, domains: readonly string[]) {
  const rules: Rule[] = [];
  for (const domain of domains) {
    const found = await findKey(call, domain, {});
    if (!found.ok) return { rules, problem: found.problem };
    rules.push({ ...found.key, domain });
  }
  return { rules, problem: undefined };
}

function changeOf(options: SimulateOptions, groups: number[] | undefined, removed: Rule[]) {
  const forGroups = groups === undefined ? {} : { groups };
  const rules = (domains: readonly string[] = [], key: DomainKey) =>
    domains.map((domain) => ({ domain, ...key, ...forGroups }));
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
}

function listOf(text: string) {
  return /^\d{1,9}$/u.test(text) ? { id: Number(text) } : { address: text };
}

function textOf({ queries, blocked_before, blocked_after, blocked, freed }: Simulated): string {
  return [
    `Of ${queries} queries, the current rules block ${blocked_before}; ` +
      `the changed rules would block ${blocked_after}.`,
    ...differenceText('newly blocked', blocked),
    ...differenceText('unblocked', freed),
  ].join('\n');
}

function differenceText(what: string, { queries, domains, clients, top_domains, top_clients }: Difference) {
  if (queries === 0) return ['', `No query would be ${what}.`];
  const counts = `${queries} queries for ${domains} domains by ${clients} clients`;
  return [
    '',
    `${counts} would be ${what}:`,
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
}
