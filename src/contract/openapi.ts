// The OpenAPI 3.1 document, generated from the table of endpoints. A typebox schema is already JSON Schema,
// so no conversion is needed. Schemas with a title become components, so that shared shapes have one name.

import type { TObject, TSchema } from 'typebox';
import { introduction } from './api/introduction.ts';
import { commonErrors, type Endpoint, type ReplySpec } from './endpoint.ts';
import { ErrorBody, Ignored, Took } from './envelope.ts';
import { errors, type ErrorName } from './errors/errors.ts';
import { csrfHeaders, sidHeaders } from './session-headers.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };
/** Shared parts, each in the document once and referenced by name. */
type Components = { readonly schemas: Map<string, Json>; readonly responses: Map<string, Json> };

export interface OpenApiOptions {
  readonly version: string;
  readonly serverUrl: string;
}

const topics = {
  authentication: 'Sessions, two-factor authentication, application passwords',
  information: 'Versions, and what a client may know before it logs in',
  domains: 'Domains and regular expressions that are allowed or denied',
  lists: 'Lists that are subscribed to',
  clients: 'Clients by address, range, MAC address, host name or interface, and their groups',
  dns: 'The blocking switch',
  statistics: 'Numbers of queries by client, name and result',
  queries: 'The log of queries',
  revisions: 'Every change: who, when, what; and undoing it',
  service: 'The service itself: health, state, documentation',
  configuration: 'Settings',
  groups: 'Groups decide which lists and rules apply to which clients',
} as const;

const security = [{ sidHeader: [] }, { sidQuery: [] }, { sidCookie: [], csrfHeader: [] }];

const securitySchemes = {
  sidHeader: {
    type: 'apiKey',
    in: 'header',
    name: sidHeaders[0],
    description:
      `The session id of POST /api/auth. ${sidHeaders.slice(1).join(' and ')} are accepted too; ` +
      'so is a field `sid` of the JSON body.',
  },
  sidQuery: { type: 'apiKey', in: 'query', name: 'sid', description: 'The session id, URL-encoded' },
  sidCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sid',
    description: 'Set by logging in; needs the CSRF header too',
  },
  csrfHeader: {
    type: 'apiKey',
    in: 'header',
    name: csrfHeaders[0],
    description: `\`csrf\` of POST or GET /api/auth. ${csrfHeaders.slice(1).join(' and ')} are accepted too.`,
  },
};

export function openApiDocument(table: Record<string, Endpoint>, options: OpenApiOptions): JsonObject {
  const components: Components = { schemas: new Map(), responses: new Map() };
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, declared] of Object.entries(table)) {
    const path = declared.path.replaceAll('...}', '}');
    (paths[path] ??= {})[declared.method.toLowerCase()] = operation(name, declared, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: options.version,
      summary: 'The API of a DNS-level blocking service',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.serverUrl }],
    tags: Object.entries(topics).map(([topic, description]) => ({ name: topic, description })),
    paths,
    components: {
      securitySchemes,
      responses: Object.fromEntries(components.responses),
      schemas: Object.fromEntries(components.schemas),
    },
  };
}

function operation(name: string, declared: Endpoint, components: Components): Json {
  return {
    operationId: name,
    tags: [declared.topic],
    summary: declared.summary,
    ...(declared.description === undefined ? {} : { description: declared.description }),
    security: declared.access === 'open' ? [] : security,
    parameters: [
      ...parameters('path', declared.params, components),
      ...parameters('query', declared.query, components),
      ...(declared.hasTag === undefined ? [] : [ifNoneMatch]),
    ],
    ...requestBody(declared, components),
    responses: {
      ...successes(declared, components),
      ...(declared.hasTag === undefined ? {} : { 304: notModified }),
      ...failures(declared, components),
    },
  };
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of an earlier reply',
  schema: { type: 'string' },
};
const notModified = { description: 'Not changed since the reply with the ETag in If-None-Match' };

function parameters(place: 'path' | 'query', schema: TObject | undefined, components: Components): Json[] {
  const required: readonly string[] = schema?.required ?? [];
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: hoist(property, components),
  }));
}

function requestBody(declared: Endpoint, components: Components): JsonObject {
  if (declared.body === undefined) return {};
  const example = declared.bodyExample === undefined ? {} : { example: plain(declared.bodyExample) };
  const content = { 'application/json': { schema: hoist(declared.body, components), ...example } };
  return { requestBody: { required: declared.optionalBody !== true, content } };
}

function successes(declared: Endpoint, components: Components): JsonObject {
  return Object.fromEntries(
    Object.entries(declared.replies).map(([status, reply]) => [
      status,
      { description: reply.description, ...replyContent(declared, reply, components) },
    ]),
  );
}

function replyContent(declared: Endpoint, reply: ReplySpec, components: Components): JsonObject {
  if (reply.body === null) return {};
  if (typeof reply.body === 'string') {
    const types = [reply.body, ...(reply.otherTypes ?? [])];
    return { content: Object.fromEntries(types.map((type) => [type, {}])) };
  }
  const example =
    reply.example === undefined ? {} : { example: plain({ ...Object(reply.example), took: 0.0003 }) };
  const schema = enveloped(hoist(reply.body, components), declared.body !== undefined);
  const asText = reply.isLive === true ? { 'text/plain': { schema: { type: 'string' } } } : {};
  return { content: { 'application/json': { schema, ...example }, ...asText } };
}

/** The fields of a reply, and those that the envelope adds. */
function enveloped(schema: Json, ignored: boolean): Json {
  // Reply bodies are declared as objects; `hoist` keeps objects objects.
  const own = schema as { properties?: JsonObject; required?: readonly string[] };
  const extra = { ...(ignored ? { ignored: plain(Ignored) } : {}), took: plain(Took) };
  return {
    ...own,
    properties: { ...own.properties, ...extra },
    required: [...(own.required ?? []), 'took'],
  };
}

function failures(declared: Endpoint, components: Components): JsonObject {
  const names = [...new Set([...declared.errors, ...commonErrors(declared)])];
  const byStatus = Map.groupBy(names, (name) => errors[name].status);
  const statuses = [...byStatus].filter(([status]) => declared.replies[status] === undefined);
  return Object.fromEntries(statuses.map(([status, group]) => [String(status), failure(group, components)]));
}

/** Most endpoints share most of their failures; repeated, they would be two thirds of the document. */
function failure(names: readonly ErrorName[], components: Components): Json {
  const title = names.toSorted().join('-');
  if (!components.responses.has(title)) components.responses.set(title, failureResponse(names, components));
  return { $ref: `#/components/responses/${title}` };
}

function failureResponse(names: readonly ErrorName[], components: Components): Json {
  return {
    description: names.map((name) => errors[name].when).join(' '),
    content: {
      'application/json': {
        schema: hoist(ErrorBody, components),
        examples: Object.fromEntries(names.map((name) => [name, { value: exampleOf(name) }])),
      },
    },
  };
}

function exampleOf(name: ErrorName): Json {
  return {
    error: { key: errors[name].key, message: errors[name].message, hint: null },
    took: 0.0001,
  };
}

/** Schemas with a title are added to the components once and referenced from then on. */
function hoist(schema: TSchema, components: Components): Json {
  return hoistJson(plain(schema), components);
}

function hoistJson(json: Json, components: Components): Json {
  if (Array.isArray(json)) return json.map((item: Json) => hoistJson(item, components));
  if (json === null || typeof json !== 'object') return json;
  // Arrays were handled above; the rest are objects.
  const object = json as JsonObject;
  const copy = Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, hoistJson(value, components)]),
  );
  const title = object['title'];
  if (typeof title !== 'string') return copy;
  remember(title, copy, components);
  return { $ref: `#/components/schemas/${title}` };
}

function remember(title: string, schema: Json, components: Components): void {
  const known = components.schemas.get(title);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`Two different schemas have the title ${title}: give one of them another.`);
  }
  components.schemas.set(title, schema);
}

function plain(value: unknown): Json {
  // Schemas contain symbols and functions besides their JSON; the document has only the JSON.
  return JSON.parse(JSON.stringify(value)) as Json;
}
