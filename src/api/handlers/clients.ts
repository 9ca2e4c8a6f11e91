// Handlers of configured clients. A request is brought into its canonical form and checked as a whole before
// anything is written; duplicates are then reported per item.

import { endpoints, fail, type Failure } from '#contract';
import { type DeviceDirectory, readClient, storedClient } from '#control/clients';
import { actorOf } from '../auth/caller.ts';
import type { Handlers, Request } from '../http/handler.ts';
import { createCheck } from '../http/validate.ts';
import { type ChangeScope, type Storage, writeFailure } from '#store/database';
import {
  type ClientFields,
  deleteClient,
  findClient,
  insertClient,
  missingGroup,
  type StoredClient,
  updateClient,
} from '#store/database/entities';
import {
  hasBlanks,
  insertEach,
  removedReply,
  removeEach,
  replacedFields,
  sentOf,
  expiryOutsideGroupsAfter,
  unknownGroup,
  type Inserted,
} from './entries.ts';
import { etagOf, mayChange } from './etag.ts';
import { unknownNames } from './patch.ts';
import { changeItem, patchedFields, removeItem } from './stored-item.ts';
import { duplicate, processedOf } from './processed.ts';
import { capacityFailure } from './capacity.ts';

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
/** Clients cannot be disabled, but the specification requires this field in the hint of a duplicate. */
const isEnabled = true;
const defaults: ClientFields = { comment: null, groups: [0], group_expiry: {} };

export const createClientHandlers = (parts: Parts): Pick<Handlers, Names> => ({
  getClients: () => getClients(parts),
  getClientSuggestions: (request) => getSuggestions(parts, request),
  getClient: (request) => getClient(parts, request),
  createClients: (request) => createClients(parts, request),
  putClient: (request) => putClient(parts, request),
  patchClient: (request) => patchClient(parts, request),
  deleteClient: (request) => removeClient(parts, request),
  batchDeleteClients: (request) => removeClients(parts, request),
});

const getClients = (parts: Parts) => {
  const { read } = parts;
  if (read.clientsProblem !== undefined) return fail('collectionUnreadable', read.clientsProblem);
  const clients = read.clients.filter(() => true).map((client) => presentClient(parts, client));
  return { status: 200 as const, body: { clients } };
};

const getSuggestions = async ({ read, devices }: Parts, { query }: Request<'getClientSuggestions'>) => {
  if (read.clientsProblem !== undefined) return fail('collectionUnreadable', read.clientsProblem);
  const clients = await devices.suggestions({
    count: query.count ?? defaultSuggestions,
    isIpv4Only: query.ipv4_only ?? false,
    isConfigured: (text) => read.clients.get(text) !== undefined,
  });
  return { status: 200 as const, body: { clients: [...clients] } };
};

const getClient = (parts: Parts, { params }: Request<'getClient'>) => {
  const { read } = parts;
  if (read.clientsProblem !== undefined) return fail('collectionUnreadable', read.clientsProblem);
  const found = read.clients.get(storedClient(params.client));
  if (found === undefined) return fail('notFound', params.client);
  return {
    status: 200 as const,
    body: { clients: [presentClient(parts, found)] },
    headers: { etag: etagOf(found, presentClient(parts, found)) },
  };
};

const createClients = async (parts: Parts, { body, caller }: Request<'createClients'>) => {
  const { read, change } = parts;
  const texts = typeof body.client === 'string' ? [body.client] : body.client;
  for (const text of texts) {
    const wrong = wrongText(text);
    if (wrong !== undefined) return wrong;
  }
  const fields = { ...defaults, ...sentOf(defaults, body) };
  const insertion = (scope: ChangeScope) => ({
    items: texts.map(storedClient),
    sent: texts,
    fields,
    insert: (client: string) => insertClient(scope, client, fields),
    uniqueness,
    overCapacity: capacityFailure(read, 'clients', texts.length),
  });
  const outcome = await change(actorOf(caller), (scope) => insertEach(scope, insertion(scope)));
  if (!outcome.ok) return writeFailure(outcome);
  return 'failure' in outcome.value ? outcome.value : creationReply(parts, outcome.value);
};

const putClient = async (parts: Parts, { params, body, caller, ifMatch }: Request<'putClient'>) => {
  const { read, change } = parts;
  const wrong = wrongText(params.client);
  if (wrong !== undefined) return wrong;
  const client = storedClient(params.client);
  const outcome = await change(actorOf(caller), async (scope) => {
    const before = await findClient(scope, client);
    if (!mayChange(ifMatch, before)) return fail('preconditionFailed');
    const overCapacity = capacityFailure(read, 'clients', before === undefined ? 1 : 0);
    if (overCapacity !== undefined) return overCapacity;
    const fields = replacedFields(defaults, before, body);
    return 'failure' in fields ? fields : write(scope, before, client, fields, params.client);
  });
  if (!outcome.ok) return writeFailure(outcome);
  return 'failure' in outcome.value ? outcome.value : storedReply(parts, outcome.value);
};

const patchClient = async (parts: Parts, request: Request<'patchClient'>) => {
  const { body } = request;
  const stored = await changeItem(itemOf(parts, request), request, async (scope, before) => {
    const fields = patchedFields(defaults, checkFields, before, body);
    if ('failure' in fields) return fields;
    const missing = expiryOutsideGroupsAfter(before, fields) ?? (await missingGroup(scope, fields.groups));
    return missing === undefined ? updateClient(scope, before, fields) : unknownGroup(missing);
  });
  if ('failure' in stored) return stored;
  return { ...storedReply(parts, stored), ignored: unknownNames(body, Object.keys(defaults)) };
};

const removeClient = (parts: Parts, request: Request<'deleteClient'>) =>
  removeItem(itemOf(parts, request), request, deleteClient);

const itemOf = ({ change }: Parts, { params }: Pick<Request<'deleteClient'>, 'params'>) => ({
  change,
  find: async (scope: ChangeScope) =>
    (await findClient(scope, storedClient(params.client))) ?? fail('notFound', params.client),
});

const removeClients = async ({ change }: Parts, { body, caller }: Request<'batchDeleteClients'>) =>
  removedReply(
    await change(actorOf(caller), (scope) =>
      removeEach(scope, {
        items: body,
        find: ({ item }) => findClient(scope, storedClient(item)),
        remove: deleteClient,
      }),
    ),
  );

/** Inserts a client, or updates the existing one. */
const write = async (
  scope: ChangeScope,
  before: StoredClient | undefined,
  client: string,
  fields: ClientFields,
  sent: string,
): Promise<StoredClient | Failure<'unknownGroup' | 'duplicate'>> => {
  const missing = await missingGroup(scope, fields.groups);
  if (missing !== undefined) return unknownGroup(missing);
  if (before !== undefined) return updateClient(scope, before, fields);
  return (await insertClient(scope, client, fields)) ?? duplicate(sent, isEnabled, uniqueness);
};

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

const creationReply = (parts: Parts, { made, processed, duplicate: sent }: Inserted<StoredClient>) => {
  const last = made.at(-1);
  if (last === undefined) return duplicate(sent, isEnabled, uniqueness, processed);
  const body = { clients: made.map((client) => presentClient(parts, client)), processed };
  return { status: 201 as const, body, headers: headersOf(parts, last) };
};

const storedReply = (parts: Parts, client: StoredClient) => ({
  status: 200 as const,
  body: { clients: [presentClient(parts, client)], processed: processedOf(client.client) },
  headers: headersOf(parts, client),
});

const headersOf = (parts: Parts, client: StoredClient) => ({
  location: `/api/clients/${encodeURIComponent(client.client)}`,
  etag: etagOf(client, presentClient(parts, client)),
});

/** Existing clients compare this text. */
const uniqueness = 'UNIQUE constraint failed: client.ip';
