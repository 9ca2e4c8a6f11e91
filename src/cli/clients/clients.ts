// `sluice clients`: lists, adds, changes and removes configured clients, and suggests devices that are not
// configured yet. Several clients are sent one by one, so that a wrong one does not affect the others.

import { InvalidArgumentError, Option, type Command } from 'commander';
import { limits, type ReplyBody } from '#contract';
import { dateText } from '../cells.ts';
import type { CommandContext, Talk } from '../context.ts';
import { forEach, outcomeOf } from '../each.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { fail, refuse } from '../failure.ts';
import { groupIds, groupsById } from '../groups/lookup.ts';
import { showJson, showList, type ShowOptions } from '../listing.ts';
import {
  commentOption,
  defaultCommand,
  groupOption,
  jsonOption,
  withExamples,
  withOptions,
} from '../options.ts';
import { patchOf } from '../patch.ts';
import type { Columns } from '../table.ts';

export function registerClients(program: Command, context: CommandContext): void {
  const clients = program.command('clients').description('devices and networks with their own groups');
  withExamples(clients, 'sluice clients', 'sluice clients add 192.168.1.5 --group Children');
  registerList(clients, context);
  registerAdd(clients, context);
  registerSet(clients, context);
  registerRemove(clients, context);
  registerSuggestions(clients, context);
}

function registerList(clients: Command, context: CommandContext): void {
  const list = defaultCommand(clients, 'list').description('list configured clients (the default)');
  withExamples(list, 'sluice clients list', 'sluice clients list --json')
    .addOption(jsonOption())
    .action(async (options: ShowOptions) => context.end(await listClients(context, options)));
}

type Client = ReplyBody<'getClients', 200>['clients'][number];

async function listClients({ call, terminal }: Talk, { json }: ShowOptions): Promise<ExitCode> {
  const reply = await call('getClients');
  if (!reply.ok) return refuse(terminal, 'The clients cannot be listed', reply);
  if (json === true) return showJson(terminal, reply.body);
  const groups = await groupsById(call);
  if (!groups.ok) return fail(terminal, groups.problem);
  const empty = 'No client is configured; `sluice clients add` adds one.';
  return showList(terminal, { items: reply.body.clients, columns: clientColumns(groups.value), empty });
}

function clientColumns(groupNames: ReadonlyMap<number, string>): Columns<Client> {
  return {
    client: ({ client }) => client,
    name: ({ name }) => name,
    groups: ({ groups }) => groups.map((id) => groupNames.get(id) ?? String(id)).join(', '),
    changed: ({ date_modified }) => dateText(date_modified),
    comment: ({ comment }) => comment ?? '',
  };
}

interface ClientOptions {
  readonly comment?: string;
  readonly group?: readonly string[];
  /** Not in the default group. */
  readonly only?: true;
}

function onlyOption(): Option {
  return new Option('--only', 'in no other group, not even the default group; its lists no longer apply');
}

/** Printed for --only without --group, which would leave the client in no group. */
function onlyWithoutGroup({ only, group }: ClientOptions): string | undefined {
  return only === true && group === undefined ? 'Say in which group: --only needs --group.' : undefined;
}

function registerAdd(clients: Command, context: CommandContext): void {
  const add = clients
    .command('add <client...>')
    .description('configure clients by address, range (CIDR), MAC address, host name or :interface');
  withExamples(
    add,
    'sluice clients add 192.168.1.5 --group Children --comment "The tablet"',
    'sluice clients add 192.168.2.0/24 aa:bb:cc:dd:ee:ff :wlan1 --group Guests --only',
  );
  withOptions(add, [
    commentOption(),
    groupOption('put it into this group, in addition to the default group'),
    onlyOption(),
  ]).action(async (texts: string[], options: ClientOptions) =>
    context.end(await addClients(context, texts, options)),
  );
}

async function addClients(
  { call, terminal }: Talk,
  clients: readonly string[],
  options: ClientOptions,
): Promise<ExitCode> {
  const problem = onlyWithoutGroup(options);
  if (problem !== undefined) return wrongUsage(terminal, problem);
  const { comment = '', group, only } = options;
  const groups = await groupIds(call, group);
  if (!groups.ok) return fail(terminal, groups.problem);
  const ids = groups.value === undefined || only === true ? groups.value : withDefault(groups.value);
  const fields = { comment, ...(ids === undefined ? {} : { groups: ids }) };
  return forEach(terminal, clients, async (client) => {
    const reply = await call('createClients', { body: { client, ...fields } });
    return outcomeOf({ thing: 'client', name: client }, 'added', reply);
  });
}

const defaultGroup = 0;

function withDefault(groups: readonly number[]): number[] {
  return [...new Set([defaultGroup, ...groups])];
}

function wrongUsage(terminal: Talk['terminal'], problem: string): ExitCode {
  terminal.error(problem);
  return exitCodes.usage;
}

function registerSet(clients: Command, context: CommandContext): void {
  const set = clients.command('set <client...>').description('change clients');
  withExamples(
    set,
    'sluice clients set 192.168.1.5 --group Children --group Guests',
    'sluice clients set 192.168.1.5 --group Guests --only',
  );
  withOptions(set, [
    commentOption(),
    groupOption('move it into this group; it stays in the default group if it is there'),
    onlyOption(),
  ]).action(async (texts: string[], options: ClientOptions) =>
    context.end(await setClients(context, texts, options)),
  );
}

/** Fields without an option keep their value: the body is a JSON Merge Patch (RFC 7396). */
async function setClients(
  { call, terminal }: Talk,
  clients: readonly string[],
  options: ClientOptions,
): Promise<ExitCode> {
  const problem = onlyWithoutGroup(options);
  if (problem !== undefined) return wrongUsage(terminal, problem);
  const { comment, group, only } = options;
  const groups = await groupIds(call, group);
  if (!groups.ok) return fail(terminal, groups.problem);
  if (patchOf({ comment, groups: groups.value }) === undefined)
    return wrongUsage(terminal, 'Say what to change: --comment or --group.');
  return forEach(terminal, clients, async (client) => {
    const isKept = groups.value !== undefined && only !== true && (await isInDefault(call, client));
    const ids = isKept ? withDefault(groups.value ?? []) : groups.value;
    const body = patchOf({ comment, groups: ids }) ?? {};
    const reply = await call('patchClient', { params: { client }, body });
    return outcomeOf({ thing: 'client', name: client }, 'changed', reply);
  });
}

/** False for a client that is not there, which the change reports. */
async function isInDefault(call: Talk['call'], client: string): Promise<boolean> {
  const reply = await call('getClient', { params: { client } });
  return reply.ok && reply.body.clients.some(({ groups }) => groups.includes(defaultGroup));
}

function registerRemove(clients: Command, context: CommandContext): void {
  const remove = clients
    .command('remove <client...>')
    .description('remove clients; the default group applies to them again');
  withExamples(remove, 'sluice clients remove 192.168.1.5').action(async (texts: string[]) =>
    context.end(await removeClients(context, texts)),
  );
}

function removeClients({ call, terminal }: Talk, clients: readonly string[]): Promise<ExitCode> {
  return forEach(terminal, clients, async (client) => {
    const reply = await call('deleteClient', { params: { client } });
    return outcomeOf({ thing: 'client', name: client }, 'removed', reply);
  });
}

interface SuggestionsOptions extends ShowOptions {
  readonly count?: number;
}

function registerSuggestions(clients: Command, context: CommandContext): void {
  const suggestions = clients
    .command('suggestions')
    .description('list devices that sent queries and are not configured, the most recent first');
  withExamples(suggestions, 'sluice clients suggestions', 'sluice clients suggestions --count 10')
    .addOption(new Option('--count <number>', 'show at most this many').argParser(readCount))
    .addOption(jsonOption())
    .action(async (options: SuggestionsOptions) => context.end(await suggestClients(context, options)));
}

function readCount(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= limits.suggestedClients) return Number(text);
  throw new InvalidArgumentError(`Allowed are whole numbers from 0 to ${limits.suggestedClients}.`);
}

type Suggestion = ReplyBody<'getClientSuggestions', 200>['clients'][number];

async function suggestClients(
  { call, terminal }: Talk,
  { json, count }: SuggestionsOptions,
): Promise<ExitCode> {
  const reply = await call('getClientSuggestions', { query: count === undefined ? {} : { count } });
  if (!reply.ok) return refuse(terminal, 'The devices cannot be listed', reply);
  if (json === true) return showJson(terminal, reply.body);
  const empty = 'No unconfigured device has sent a query; `sluice clients` lists the configured ones.';
  return showList(terminal, { items: reply.body.clients, columns: suggestionColumns, empty });
}

/**
 * The first column can be passed to `sluice clients add`: the MAC address if known, because addresses change.
 */
const suggestionColumns: Columns<Suggestion> = {
  device: ({ hwaddr }) => (hwaddr ?? '').replace(/^ip-/, ''),
  addresses: ({ addresses }) => (addresses ?? '').replaceAll(',', ', '),
  names: ({ names }) => (names ?? '').replaceAll(',', ', '),
  'last query': ({ lastQuery }) => dateText(lastQuery),
};
