// `sluice groups`: groups, their schedules and how much of the history they hide.

import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ReplyBody } from '#contract';
import { dateText, yesNo } from '../cells.ts';
import type { CommandContext } from '../context.ts';
import type { ControlClient } from '../control.ts';
import { registerNoun, type Noun, type NounOptions, type RemovalCheck } from '../noun.ts';
import { commentOption, disabledOption, enableOptions } from '../options.ts';
import { keptText, leftBehind, leftText } from './left-behind.ts';
import { readSchedule, type ScheduleSent } from './schedule-text.ts';

type Group = ReplyBody<'getGroups', 200>['groups'][number];

interface Options extends NounOptions {
  readonly name?: string;
  readonly schedule?: readonly ScheduleSent[];
  readonly always?: true;
  readonly privacy?: number;
  /** Also if clients are then in no group. */
  readonly force?: true;
}

export function registerGroups(program: Command, context: CommandContext): void {
  registerNoun(program, context, noun);
}

const noun: Noun<Group, { readonly name: string }, Options> = {
  name: 'groups',
  description: 'groups: which rules and lists apply to which clients',
  examples: ['sluice groups', 'sluice groups add Children --comment "Tablets and consoles"'],
  list: {
    description: 'list all groups (the default)',
    examples: ['sluice groups list', 'sluice groups list --json'],
    read: async (call) => {
      const reply = await call('getGroups');
      return reply.ok ? { ...reply, items: reply.body.groups } : reply;
    },
    columns: {
      id: ({ id }) => String(id),
      name: ({ name }) => name,
      enabled: ({ enabled }) => yesNo(enabled),
      applies: scheduleState,
      changed: ({ date_modified }) => dateText(date_modified),
      comment: ({ comment }) => comment ?? '',
    },
    empty: () => 'There are no groups.',
  },
  add: {
    description: 'add groups',
    examples: [
      'sluice groups add Children Guests',
      'sluice groups add "Smart things" --disabled',
      'sluice groups add Bedtime --schedule "sun-thu 21:00-06:30" --schedule "fri,sat 22:30-08:00"',
    ],
    options: [commentOption(), scheduleOption(), privacyOption(), disabledOption()],
    create: ({ call }, { name }, { comment = '', disabled = false, schedule, privacy }) => {
      const more = {
        ...(schedule !== undefined && { schedules: [...schedule] }),
        ...(privacy !== undefined && { privacy }),
      };
      return call('createGroups', { body: { name, comment, enabled: !disabled, ...more } });
    },
  },
  set: {
    isForOne: true,
    description: 'change a group',
    examples: [
      'sluice groups set Children --name Kids',
      'sluice groups set Guests --disable',
      'sluice groups set Parents --privacy 2',
      'sluice groups set Homework --schedule "mon-fri 14:00-17:00 Europe/Berlin"',
    ],
    options: [
      new Option('--name <new>', 'rename it'),
      commentOption(),
      ...enableOptions(),
      scheduleOption(),
      new Option('--always', 'remove its schedule: its rules apply at all times').conflicts('schedule'),
      privacyOption(),
    ],
    fields: ({ name, schedule, always, privacy }) => ({
      name,
      schedules: always === true ? [] : schedule,
      privacy,
    }),
    choice: '--name, --comment, --enable or --disable, --schedule or --always, --privacy',
    patch: (call, params, body) => call('patchGroup', { params, body }),
  },
  remove: {
    description: 'remove groups; their clients, rules and lists stay',
    examples: ['sluice groups remove Guests', 'sluice groups remove Guests --force'],
    options: [new Option('--force', 'also if clients are then in no group, so that no rule applies to them')],
    check: checkRemoval,
    delete: (call, params) => call('deleteGroup', { params }),
  },
  keyOf: (name) => ({ name }),
};

async function checkRemoval(
  call: ControlClient,
  { name }: { readonly name: string },
  { force }: Options,
): Promise<RemovalCheck> {
  const left = await leftBehind(call, name);
  if (!left.ok) return left;
  if (left.value.clients.length > 0 && force !== true)
    return { ok: false, problem: keptText(name, left.value) };
  return { ok: true, note: leftText(left.value) };
}

function scheduleState({ schedules, schedule: { active, next_change } }: Group): string {
  if (schedules.length === 0) return 'always';
  if (next_change === null) return active ? 'always' : 'not now';
  return `${active ? 'until' : 'from'} ${dateText(next_change)}`;
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
