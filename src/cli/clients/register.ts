// How `sluice clients` is called; the files beside this one do it. Without a further word it lists.

import { InvalidArgumentError, Option, type Command } from 'commander';
import { limits } from '#contract';
import type { CommandContext } from '../context.ts';
import type { ShowOptions } from '../listing.ts';
import {
  commentOption,
  defaultCommand,
  groupOption,
  jsonOption,
  withExamples,
  withOptions,
} from '../options.ts';
import { addClients, type AddOptions } from './add.ts';
import { listClients } from './list.ts';
import { removeClients } from './remove.ts';
import { setClients, type SetOptions } from './set.ts';
import { suggestClients, type SuggestionsOptions } from './suggestions.ts';

export const registerClients = (program: Command, context: CommandContext): void => {
  const clients = program.command('clients').description('who is in which groups');
  withExamples(clients, 'sluice clients', 'sluice clients add 192.168.1.5 --group Children');
  registerList(clients, context);
  registerAdd(clients, context);
  registerSet(clients, context);
  registerRemove(clients, context);
  registerSuggestions(clients, context);
};

const registerList = (clients: Command, context: CommandContext): void => {
  const list = defaultCommand(clients, 'list').description('list configured clients (the default)');
  withExamples(list, 'sluice clients list', 'sluice clients list --json')
    .addOption(jsonOption())
    .action(async (options: ShowOptions) => context.end(await listClients(context, options)));
};

const registerAdd = (clients: Command, context: CommandContext): void => {
  const add = clients
    .command('add <client...>')
    .description('configure clients by address, range (CIDR), MAC address, host name or :interface');
  withExamples(
    add,
    'sluice clients add 192.168.1.5 --group Children --comment "The tablet"',
    'sluice clients add 192.168.2.0/24 aa:bb:cc:dd:ee:ff :wlan1 --group Guests',
  );
  withOptions(add, [commentOption(), groupOption('the group it is in, instead of the default group')]).action(
    async (texts: string[], options: AddOptions) => context.end(await addClients(context, texts, options)),
  );
};

const registerSet = (clients: Command, context: CommandContext): void => {
  const set = clients.command('set <client...>').description('change clients');
  withExamples(set, 'sluice clients set 192.168.1.5 --group Children --group Guests');
  withOptions(set, [commentOption(), groupOption('the group it is in from now on')]).action(
    async (texts: string[], options: SetOptions) => context.end(await setClients(context, texts, options)),
  );
};

const registerRemove = (clients: Command, context: CommandContext): void => {
  const remove = clients
    .command('remove <client...>')
    .description('forget clients; they are in the default group then');
  withExamples(remove, 'sluice clients remove 192.168.1.5').action(async (texts: string[]) =>
    context.end(await removeClients(context, texts)),
  );
};

const registerSuggestions = (clients: Command, context: CommandContext): void => {
  const suggestions = clients
    .command('suggestions')
    .description('list devices that have asked and are not configured, the last one first');
  withExamples(suggestions, 'sluice clients suggestions', 'sluice clients suggestions --count 10')
    .addOption(new Option('--count <number>', 'at most so many').argParser(readCount))
    .addOption(jsonOption())
    .action(async (options: SuggestionsOptions) => context.end(await suggestClients(context, options)));
};

const readCount = (text: string): number => {
  if (/^\d{1,4}$/.test(text) && Number(text) <= limits.suggestedClients) return Number(text);
  throw new InvalidArgumentError(`A whole number from 0 to ${limits.suggestedClients}.`);
};
