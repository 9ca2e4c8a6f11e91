// Handlers of configured clients. A request is brought into its canonical form and checked as a whole before
// anything is written; duplicates are then reported per item.

import { endpoints, entities, fail, type Failure, type ReplyBody } from '#contract';
import { type DeviceDirectory, readClient, storedClient } from '#control/clients';
import type { Handlers, Request } from '../http/handler.ts';
import { createCheck } from '../http/validate.ts';
import type { ChangeScope, Storage } from '#store/database';
import { type ClientFields, clientTable, type StoredClient } from '#store/database/entities';
import { capacityFailure } from './capacity.ts';
import { entityReplies, type EntityKind } from './entity-replies.ts';
import { createdFields, groupsFailure, hasBlanks, patchEntry, replacedFields } from './entries.ts';
import { existingItems } from './existing-items.ts';
import { newItems } from './new-items.ts';

type Names =
  | 'getClients'
  | 'getClientSuggestions'
  | 'createClients'
  | 'getClient'
  | 'putClient'
  | 'patchClient'
  | 'deleteClient'
  | 'batchDeleteClients';
type Parts = Pick<Storage, 'read' | 'change'> & {
  /** The devices of the network. */
  readonly devices: Pick<DeviceDirectory, 'nameOf' | 'suggestions'>;
};
type WrongText = Failure<'blanks' | 'invalidClient'>;

const defaultSuggestions = 50;
const defaults: ClientFields = entities.clients.fields;

export const createClientHandlers = (parts: Parts): Pick<Handlers, Names> => ({
  getClients: () => getClients(parts),
  getClientSuggestions: (request) => getSuggestions(parts, request),
  getClient: (request) => getClient(parts, request),
  createClients: (request) => createClients(parts, request),
  putClient: (request) => putClient(parts, request),
  patchClient: (request) => patchClient(parts, request),
  deleteClient: (request) => existing(parts).remove(request, findNamed(request)),
  batchDeleteClients: (request) =>
    existing(parts).removeAll(request, (scope, { item }) =>
      clientTable.find(scope, { client: storedClient(item) }),
    ),
});

const getClients = (parts: Parts) => {
  const { read } = parts;
  if (read.clients.problem !== undefined) return fail('collectionUnreadable', read.clients.problem);
  const clients = read.clients.filter(() => true).map((client) => presentClient(parts, client));
  return { status: 200 as const, body: { clients } };
};

const getSuggestions = async ({ read, devices }: Parts, { query }: Request<'getClientSuggestions'>) => {
  if (read.clients.problem !== undefined) return fail('collectionUnreadable', read.clients.problem);
  const clients = await devices.suggestions({
    count: query.count ?? defaultSuggestions,
    isIpv4Only: query.ipv4_only ?? false,
    isConfigured: (text) => read.clients.get(text) !== undefined,
  });
  return { status: 200 as const, body: { clients: [...clients] } };
};

const getClient = (parts: Parts, { params }: Request<'getClient'>) => {
  const { read } = parts;
  if (read.clients.problem !== undefined) return fail('collectionUnreadable', read.clients.problem);
  const found = read.clients.get(storedClient(params.client));
  if (found === undefined) return fail('notFound', params.client);
  return entityReplies(kindOf(parts)).found(found);
};

const createClients = (parts: Parts, request: Request<'createClients'>) => {
  const { body } = request;
  const texts = typeof body.client === 'string' ? [body.client] : body.client;
  for (const text of texts) {
    const wrong = wrongText(text);
    if (wrong !== undefined) return wrong;
  }
  const fields = createdFields(defaults, body);
  return newItems(kindOf(parts), parts.change).create(request, {
    items: texts.map((text) => ({ client: storedClient(text), ...fields })),
    sent: texts[0],
    refused: async (scope) =>
      capacityFailure(parts.read, 'clients', texts.length) ?? (await groupsFailure(scope, fields)),
  });
};

const putClient = (parts: Parts, request: Request<'putClient'>) => {
  const { params, body } = request;
  const wrong = wrongText(params.client);
  if (wrong !== undefined) return wrong;
  const client = storedClient(params.client);
  return newItems(kindOf(parts), parts.change).put(request, {
    find: (scope) => clientTable.find(scope, { client }),
    sent: params.client,
    wanted: async (scope, before) => {
      const overCapacity = capacityFailure(parts.read, 'clients', before === undefined ? 1 : 0);
      if (overCapacity !== undefined) return overCapacity;
      const fields = await replacedFields(scope, defaults, before, body);
      return 'failure' in fields ? fields : { client, ...fields };
    },
  });
};

const patchClient = (parts: Parts, request: Request<'patchClient'>) =>
  existing(parts).patch(request, {
    find: findNamed(request),
    ...patchEntry(clientTable, defaults, checkFields, request.body),
  });

const findNamed =
  ({ params }: Pick<Request<'deleteClient'>, 'params'>) =>
  async (scope: ChangeScope) =>
    (await clientTable.find(scope, { client: storedClient(params.client) })) ??
    fail('notFound', params.client);

const checkFields = createCheck(endpoints.putClient.body);

const wrongText = (text: string): WrongText | undefined => {
  if (hasBlanks(text)) return fail('blanks', text);
  if (readClient(text) !== undefined) return undefined;
  return fail('invalidClient', `${text} is no address, range, MAC address, host name or :interface.`);
};

/** With the host name, if it is known. */
const presentClient = ({ devices }: Parts, client: StoredClient) => ({
  ...client,
  name: devices.nameOf(client.client),
  groups: [...client.groups],
});

type Kind = EntityKind<{ readonly client: string } & ClientFields, StoredClient, ReplyBody<'getClient', 200>>;

const kindOf = (parts: Parts): Kind => ({
  ...entities.clients,
  table: clientTable,
  bodyOf: (clients) => ({ clients: clients.map((client) => presentClient(parts, client)) }),
  hasDerivedFields: true,
});

const existing = (parts: Parts) => existingItems(kindOf(parts), parts.change);
