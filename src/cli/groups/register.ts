// How `sluice groups` is called; the files beside this one do it. Without a further word it lists.

import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CommandContext } from '../context.ts';
import {
  commentOption,
  enableOptions,
  defaultCommand,
  jsonOption,
  withExamples,
  withOptions,
} from '../options.ts';
import { addGroups, type AddOptions } from './add.ts';
import { listGroups } from './list.ts';
import { removeGroups } from './remove.ts';
import { readSchedule } from './schedule-text.ts';
import { setGroup, type SetOptions } from './set.ts';

export const registerGroups = (program: Command, context: CommandContext): void => {
  const groups = program.command('groups').description('which lists and rules apply to whom');
  withExamples(groups, 'sluice groups', 'sluice groups add Children --comment "Tablets and consoles"');
  registerList(groups, context);
  registerAdd(groups, context);
  registerSet(groups, context);
  registerRemove(groups, context);
};

const registerList = (groups: Command, context: CommandContext): void => {
  const list = defaultCommand(groups, 'list').description('list all groups (the default)');
  withExamples(list, 'sluice groups list', 'sluice groups list --json')
    .addOption(jsonOption())
    .action(async (options: { json?: true }) => context.end(await listGroups(context, options)));
};

const registerAdd = (groups: Command, context: CommandContext): void => {
  const add = groups.command('add <name...>').description('add groups');
  withExamples(
    add,
    'sluice groups add Children Guests',
    'sluice groups add "Smart things" --disabled',
    'sluice groups add Bedtime --schedule "sun-thu 21:00-06:30" --schedule "fri,sat 22:30-08:00"',
  )
    .addOption(commentOption())
    .addOption(scheduleOption())
    .addOption(privacyOption())
    .option('--disabled', 'add it switched off')
    .action(async (names: string[], options: AddOptions) =>
      context.end(await addGroups(context, names, options)),
    );
};

const registerSet = (groups: Command, context: CommandContext): void => {
  const set = groups.command('set <name>').description('change a group');
  withExamples(
    set,
    'sluice groups set Children --name Kids',
    'sluice groups set Guests --disable',
    'sluice groups set Parents --privacy 2',
    'sluice groups set Homework --schedule "mon-fri 14:00-17:00 Europe/Berlin"',
  );
  withOptions(set.option('--name <new>', 'call it otherwise'), [
    commentOption(),
    ...enableOptions(),
    scheduleOption(),
    new Option('--always', 'let its rules apply at any time').conflicts('schedule'),
    privacyOption(),
  ]).action(async (name: string, options: SetOptions) => context.end(await setGroup(context, name, options)));
};

const scheduleOption = (): Option =>
  new Option(
    '--schedule <window>',
    'its rules apply only then: "mon-fri 21:00-06:30"; may be repeated',
  ).argParser(readSchedule);

const privacyOption = (): Option =>
  new Option(
    '--privacy <level>',
    'what history hides of its clients: 0 nothing, 1 names, 2 also who asked, 3 all',
  ).argParser(readPrivacy);

const readPrivacy = (text: string): number => {
  if (!/^[0-3]$/u.test(text)) throw new InvalidArgumentError('A level is 0, 1, 2 or 3.');
  return Number(text);
};

const registerRemove = (groups: Command, context: CommandContext): void => {
  const remove = groups.command('remove <name...>').description('remove groups; what is in them stays');
  withExamples(remove, 'sluice groups remove Guests').action(async (names: string[]) =>
    context.end(await removeGroups(context, names)),
  );
};
