// How `sluice lists` is called; the files beside this one do it. Without a further word it lists.

import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CommandContext } from '../context.ts';
import type { ShowOptions } from '../listing.ts';
import {
  commentOption,
  defaultCommand,
  enableOptions,
  groupOption,
  jsonOption,
  withExamples,
  withOptions,
} from '../options.ts';
import { addLists, type AddOptions } from './add.ts';
import { acceptLists, listCopies, useCopy } from './copies.ts';
import { listLists } from './list.ts';
import { typeOptions, type TypeOptions } from './place.ts';
import { removeLists } from './remove.ts';
import { setLists, type SetOptions } from './set.ts';
import { updateLists } from './update.ts';

const example = 'https://lists.example.com/hosts.txt';

export const registerLists = (program: Command, context: CommandContext): void => {
  const lists = program.command('lists').description('lists of domains that you subscribe to');
  withExamples(lists, 'sluice lists', `sluice lists add ${example}`);
  registerList(lists, context);
  registerAdd(lists, context);
  registerSet(lists, context);
  registerRemove(lists, context);
  registerUpdate(lists, context);
  registerCopies(lists, context);
};

const registerList = (lists: Command, context: CommandContext): void => {
  const list = defaultCommand(lists, 'list').description('list subscriptions (the default)');
  withExamples(list, 'sluice lists list --allow', 'sluice lists list --json');
  withOptions(list, [...typeOptions(), jsonOption()]).action(async (options: TypeOptions & ShowOptions) =>
    context.end(await listLists(context, options)),
  );
};

const registerAdd = (lists: Command, context: CommandContext): void => {
  const add = lists.command('add <address...>').description('subscribe to lists: https, http or file URLs');
  withExamples(add, `sluice lists add ${example}`, `sluice lists add --allow ${example} --group Children`);
  withOptions(add, [
    new Option('--block', 'block what they hold (the default)').conflicts('allow'),
    new Option('--allow', 'never block what they hold'),
    commentOption(),
    groupOption('the group it is for, instead of the default group'),
    new Option('--disabled', 'add it switched off'),
  ]).action(async (addresses: string[], options: AddOptions) =>
    context.end(await addLists(context, addresses, options)),
  );
};

const registerSet = (lists: Command, context: CommandContext): void => {
  const set = lists.command('set <address...>').description('change subscriptions');
  withExamples(set, `sluice lists set ${example} --disable`, `sluice lists set ${example} --group Children`);
  withOptions(set, [
    ...typeOptions(),
    commentOption(),
    groupOption('the group it is for from now on'),
    ...enableOptions(),
  ]).action(async (addresses: string[], options: SetOptions) =>
    context.end(await setLists(context, addresses, options)),
  );
};

const registerRemove = (lists: Command, context: CommandContext): void => {
  const remove = lists.command('remove <address...>').description('end subscriptions');
  withExamples(remove, `sluice lists remove ${example}`);
  withOptions(remove, typeOptions()).action(async (addresses: string[], options: TypeOptions) =>
    context.end(await removeLists(context, addresses, options)),
  );
};

const registerUpdate = (lists: Command, context: CommandContext): void => {
  const update = lists.command('update').description('fetch all lists now, and show how it goes');
  withExamples(update, 'sluice lists update', 'sluice lists update --json');
  withOptions(update, [jsonOption()]).action(async (options: ShowOptions) =>
    context.end(await updateLists(context, options)),
  );
};

const registerCopies = (lists: Command, context: CommandContext): void => {
  const copies = lists.command('copies <address>').description('list the stored copies of a list');
  withExamples(copies, `sluice lists copies ${example}`);
  withOptions(copies, [...typeOptions(), jsonOption()]).action(
    async (address: string, options: TypeOptions & ShowOptions) =>
      context.end(await listCopies(context, address, options)),
  );
  const use = lists
    .command('use <address>')
    .description('go back to an earlier copy of a list, until it changes again')
    .argument('<version>', 'as `sluice lists copies` shows it', readVersion);
  withExamples(use, `sluice lists use ${example} 12`);
  withOptions(use, typeOptions()).action(async (address: string, version: number, options: TypeOptions) =>
    context.end(await useCopy(context, address, version, options)),
  );
  const accept = lists
    .command('accept <address...>')
    .description('put a change in force that is held because it is so large');
  withExamples(accept, `sluice lists accept ${example}`);
  withOptions(accept, typeOptions()).action(async (addresses: string[], options: TypeOptions) =>
    context.end(await acceptLists(context, addresses, options)),
  );
};

const readVersion = (text: string): number => {
  if (!/^[1-9]\d{0,14}$/u.test(text))
    throw new InvalidArgumentError('A version is a whole number; `sluice lists copies` shows it.');
  return Number(text);
};
