// `sluice clients`: configured clients, and suggestions of devices that are not configured yet.

import { InvalidArgumentError, Option, type Command } from 'commander';
import { limits, type ReplyBody } from '#contract';
import { dateText, groupsText } from '../cells.ts';
import type { CommandContext, Talk } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { showJson, showList, type ShowOptions } from '../listing.ts';
import { registerNoun, type Noun, type NounOptions } from '../noun.ts';
import { commentOption, groupOption, jsonOption, withExamples } from '../options.ts';
import type { Columns } from '../table.ts';

type Client = ReplyBody<'getClients', 200>['clients'][number];

export function registerClients(program: Command, context: CommandContext): void {
  registerSuggestions(registerNoun(program, context, noun), context);
}

interface Options extends NounOptions {
  /** Not in the default group. */
  readonly only?: true;
}

const defaultGroup = 0;

const noun: Noun<Client, { readonly client: string }, Options> = {
  name: 'clients',
  description: 'devices and networks with their own groups',
  examples: ['sluice clients', 'sluice clients add 192.168.1.5 --group Children'],
  list: {
    description: 'list configured clients (the default)',
    examples: ['sluice clients list', 'sluice clients list --json'],
    read: async (call) => {
      const reply = await call('getClients');
      return reply.ok ? { ...reply, items: reply.body.clients } : reply;
    },
    columns: (groupNames) => ({
      client: ({ client }) => client,
      name: ({ name }) => name,
      groups: groupsText(groupNames),
      changed: ({ date_modified }) => dateText(date_modified),
      comment: ({ comment }) => comment ?? '',
    }),
    empty: () => 'No client is configured; `sluice clients add` adds one.',
  },
  add: {
    description: 'configure clients by address, range (CIDR), MAC address, host name or :interface',
    examples: [
      'sluice clients add 192.168.1.5 --group Children --comment "The tablet"',
      'sluice clients add 192.168.2.0/24 aa:bb:cc:dd:ee:ff :wlan1 --group Guests --only',
    ],
    options: [
      commentOption(),
      groupOption('put it into this group, in addition to the default group'),
      onlyOption(),
    ],
    create: ({ call }, { client }, { comment = '', only }, { groups }) => {
      const ids = groups === undefined || only === true ? groups : withDefault(groups);
      return call('createClients', { body: { client, comment, ...(ids !== undefined && { groups: ids }) } });
    },
  },
  set: {
    description: 'change clients',
    examples: [
      'sluice clients set 192.168.1.5 --group Children --group Guests',
      'sluice clients set 192.168.1.5 --group Guests --only',
    ],
    options: [
      commentOption(),
      groupOption('move it into this group; it stays in the default group if it is there'),
      onlyOption(),
    ],
    choice: '--comment or --group',
    patch: async (call, params, body, { only }) => {
      const { groups } = body;
      const isKept = Array.isArray(groups) && only !== true && (await isInDefault(call, params.client));
      const sent = isKept ? { ...body, groups: withDefault(groups) } : body;
      return call('patchClient', { params, body: sent });
    },
  },
  remove: {
    description: 'remove clients; the default group applies to them again',
    examples: ['sluice clients remove 192.168.1.5'],
    delete: (call, params) => call('deleteClient', { params }),
  },
  wrongOptions: ({ only, group }) =>
    only === true && group === undefined ? 'Say in which group: --only needs --group.' : undefined,
  keyOf: (client) => ({ client }),
};

function onlyOption(): Option {
  return new Option('--only', 'in no other group, not even the default group; its lists no longer apply');
}

function withDefault(groups: readonly number[]): number[] {
  return [...new Set([defaultGroup, ...groups])];
}

/** False for a client that is not there, which the change reports. */
async function isInDefault(call: Talk['call'], client: string): Promise<boolean> {
  const reply = await call('getClient', { params: { client } });
  return reply.ok && reply.body.clients.some(({ groups }) => groups.includes(defaultGroup));
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
