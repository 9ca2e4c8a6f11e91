// `sluice groups`: lists, adds, changes and removes groups. Several groups are sent one by one, so that a
// wrong name does not affect the others.

import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateText, yesNo } from '../cells.ts';
import type { CommandContext, Talk } from '../context.ts';
import { forEach, outcomeOf, type Outcome } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { showJson, showList, type ShowOptions } from '../listing.ts';
import {
  commentOption,
  defaultCommand,
  enableOptions,
  jsonOption,
  withExamples,
  withOptions,
} from '../options.ts';
import { patchOf } from '../patch.ts';
import type { Columns } from '../table.ts';
import { keptText, leftBehind, leftText } from './left-behind.ts';
import { readSchedule, type ScheduleSent } from './schedule-text.ts';

export function registerGroups(program: Command, context: CommandContext): void {
  const groups = program
    .command('groups')
    .description('groups: which rules and lists apply to which clients');
  withExamples(groups, 'sluice groups', 'sluice groups add Children --comment "Tablets and consoles"');
  registerList(groups, context);
  registerAdd(groups, context);
  registerSet(groups, context);
  registerRemove(groups, context);
}

function registerList(groups: Command, context: CommandContext): void {
  const list = defaultCommand(groups, 'list').description('list all groups (the default)');
  withExamples(list, 'sluice groups list', 'sluice groups list --json')
    .addOption(jsonOption())
    .action(async (options: ShowOptions) => context.end(await listGroups(context, options)));
}

async function listGroups({ call, terminal }: Talk, { json }: ShowOptions): Promise<ExitCode> {
  const reply = await call('getGroups');
  if (!reply.ok) return refuse(terminal, 'The groups cannot be listed', reply);
  if (json === true) return showJson(terminal, reply.body);
  return showList(terminal, { items: reply.body.groups, columns, empty: 'There are no groups.' });
}

type Group = ReplyBody<'getGroups', 200>['groups'][number];

const columns: Columns<Group> = {
  id: ({ id }) => String(id),
  name: ({ name }) => name,
  enabled: ({ enabled }) => yesNo(enabled),
  applies: scheduleState,
  changed: ({ date_modified }) => dateText(date_modified),
  comment: ({ comment }) => comment ?? '',
};

function scheduleState({ schedules, schedule: { active, next_change } }: Group): string {
  if (schedules.length === 0) return 'always';
  if (next_change === null) return active ? 'always' : 'not now';
  return `${active ? 'until' : 'from'} ${dateText(next_change)}`;
}

interface AddOptions {
  readonly comment?: string;
  readonly disabled?: boolean;
  readonly schedule?: readonly ScheduleSent[];
  readonly privacy?: number;
}

function registerAdd(groups: Command, context: CommandContext): void {
  const add = groups.command('add <name...>').description('add groups');
  withExamples(
    add,
    'sluice groups add Children Guests',
    'sluice groups add "Smart things" --disabled',
    'sluice groups add Bedtime --schedule "sun-thu 21:00-06:30" --schedule "fri,sat 22:30-08:00"',
  );
  withOptions(add, [
    commentOption(),
    scheduleOption(),
    privacyOption(),
    new Option('--disabled', 'add it disabled'),
  ]).action(async (names: string[], options: AddOptions) =>
    context.end(await addGroups(context, names, options)),
  );
}

function addGroups(
  { call, terminal }: Talk,
  names: readonly string[],
  { comment = '', disabled = false, schedule, privacy }: AddOptions,
): Promise<ExitCode> {
  return forEach(terminal, names, async (name) => {
    const more = {
      ...(schedule !== undefined && { schedules: [...schedule] }),
      ...(privacy !== undefined && { privacy }),
    };
    const reply = await call('createGroups', { body: { name, comment, enabled: !disabled, ...more } });
    return outcomeOf({ thing: 'group', name }, 'added', reply);
  });
}

interface SetOptions {
  readonly name?: string;
  readonly comment?: string;
  readonly enable?: true;
  readonly disable?: true;
  readonly schedule?: readonly ScheduleSent[];
  readonly always?: true;
  readonly privacy?: number;
}

function registerSet(groups: Command, context: CommandContext): void {
  const set = groups.command('set <name>').description('change a group');
  withExamples(
    set,
    'sluice groups set Children --name Kids',
    'sluice groups set Guests --disable',
    'sluice groups set Parents --privacy 2',
    'sluice groups set Homework --schedule "mon-fri 14:00-17:00 Europe/Berlin"',
  );
  withOptions(set, [
    new Option('--name <new>', 'rename it'),
    commentOption(),
    ...enableOptions(),
    scheduleOption(),
    new Option('--always', 'remove its schedule: its rules apply at all times').conflicts('schedule'),
    privacyOption(),
  ]).action(async (name: string, options: SetOptions) => context.end(await setGroup(context, name, options)));
}

/** Fields without an option keep their value: the body is a JSON Merge Patch (RFC 7396). */
async function setGroup(
  { call, terminal }: Talk,
  name: string,
  { schedule, always, privacy, ...options }: SetOptions,
): Promise<ExitCode> {
  const schedules = always === true ? [] : schedule;
  const body = patchOf({ ...options, name: options.name, schedules, privacy });
  if (body === undefined) {
    terminal.error(
      'Say what to change: --name, --comment, --enable or --disable, --schedule or --always, --privacy.',
    );
    return exitCodes.usage;
  }
  return forEach(terminal, [name], async () => {
    const reply = await call('patchGroup', { params: { name }, body });
    return outcomeOf({ thing: 'group', name }, 'changed', reply);
  });
}

function scheduleOption(): Option {
  return new Option(
    '--schedule <window>',
    'its rules apply only at these times: "mon-fri 21:00-06:30"; may be repeated',
  ).argParser(readSchedule);
}

function privacyOption(): Option {
  return new Option(
    '--privacy <level>',
    'what the history hides of its clients: 0 nothing, 1 domains, 2 also clients, 3 everything',
  ).argParser(readPrivacy);
}

function readPrivacy(text: string): number {
  if (!/^[0-3]$/u.test(text)) throw new InvalidArgumentError('Allowed are 0, 1, 2 and 3.');
  return Number(text);
}

function registerRemove(groups: Command, context: CommandContext): void {
  const remove = groups
    .command('remove <name...>')
    .description('remove groups; their clients, rules and lists stay');
  withExamples(remove, 'sluice groups remove Guests', 'sluice groups remove Guests --force');
  withOptions(remove, [
    new Option('--force', 'also if clients are then in no group, so that no rule applies to them'),
  ]).action(async (names: string[], options: { readonly force?: true }) =>
    context.end(await removeGroups(context, names, options.force === true)),
  );
}

function removeGroups({ call, terminal }: Talk, names: readonly string[], isForced: boolean) {
  return forEach(terminal, names, async (name): Promise<Outcome> => {
    const left = await leftBehind(call, name);
    if (!left.ok) return { ok: false, text: left.problem };
    if (left.value.clients.length > 0 && !isForced) return { ok: false, text: keptText(name, left.value) };
    const reply = await call('deleteGroup', { params: { name } });
    const { ok, text } = outcomeOf({ thing: 'group', name }, 'removed', reply);
    return { ok, text: ok ? `${text}${leftText(left.value)}` : text };
  });
}
