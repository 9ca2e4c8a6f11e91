// Sends random requests, valid and invalid, to every operation of the served OpenAPI document, generated from
// its schemas. For every request the document declares the status and the body of the reply, and the status
// is never 500. A request that fits its schema is not refused as malformed; one that does not fit is refused.
// New endpoints are covered without a change here. A failure names its seed, and SLUICE_TEST_SEED repeats it.
// Two test files use this: one with a few requests, one with many.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import * as fc from 'fast-check';

import { boot, type Service } from './boot.ts';
import { anyJson, fitting, nearby, niceJson, type Schema } from './generated.ts';
import { readDocument, type Operation } from './openapi.ts';
import { at, listAt, type Reply } from './reply.ts';
import { seeded } from './seeded.ts';

const [open, locked] = await Promise.all([
  boot({ env: { SLUICE_WEB_HTTPS: '' } }),
  boot({ env: { SLUICE_WEB_HTTPS: '', SLUICE_AUTH_PASSWORD: 'a password' } }),
]);
after(() => Promise.all([open.stop(), locked.stop()]));
const document = readDocument((await open.call('GET', '/api/docs/openapi.json')).body);
const { seed } = seeded();

/**
 * What random requests must not touch, or would never produce. Updating lists would download whatever random
 * requests have subscribed to, and an event stream does not end. Settings of these sections move listeners,
 * change who has access, or silence the log.
 */
const EXCLUDED_OPERATIONS = ['POST /api/action/gravity', 'GET /api/events'];
const EXCLUDED_SECTIONS = ['web', 'auth', 'log', 'storage'];
const EXCLUDED_SETTINGS = ['listen'];
const bodies: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'PATCH /api/config': (await harmlessSettings()).map((dns) => ({ config: { dns } })),
};

type RandomRequest = { readonly path: string; readonly body: unknown; readonly isValid: boolean };

/** How many requests of each kind every operation gets. */
export type Runs = { readonly good: number; readonly bad: number; readonly unauthorized: number };

export function testRandomRequests(runs: Runs): void {
  describe(`random requests with seed ${seed}`, () => {
    for (const operation of document.operations)
      if (!EXCLUDED_OPERATIONS.includes(nameOf(operation))) testOperation(operation, runs);

    test('leave a service that answers /api/health with 200', async () => {
      for (const service of [open, locked]) {
        assert.equal((await service.call('GET', '/api/health')).status, 200);
        assert.equal((await service.call('GET', '/api/groups', { via: 'control' })).status, 200);
      }
    });
  });
}

function testOperation(operation: Operation, runs: Runs): void {
  const name = nameOf(operation);
  test(`${name} replies to requests that fit the schema as the document declares`, async () => {
    await tryMany(goodRequest(operation), runs.good, async (request) =>
      checkReply(operation, request, await send(open, operation, request)),
    );
  });

  test(`${name} refuses requests that do not fit the schema as the document declares`, async () => {
    await tryMany(badRequest(operation), runs.bad, async (request) =>
      checkReply(operation, request, await send(open, operation, request)),
    );
  });

  const isOpen = listAt(operation.declared, 'security').length === 0;
  test(`${name} without a session ${isOpen ? 'replies as the document declares' : 'gets 401'}`, async () => {
    await tryMany(requestWithBadBody(operation), runs.unauthorized, async (request) => {
      const reply = await send(locked, operation, request);
      assertDeclared(operation, reply);
      if (!isOpen && !isWrongUrl(reply)) assert.equal(reply.status, 401, reply.text);
    });
  });
}

async function tryMany(
  requested: fc.Arbitrary<RandomRequest>,
  numRuns: number,
  check: (request: RandomRequest) => Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(requested, check);
  await fc.assert(property, { seed, numRuns });
}

const fits = (schema: Schema): fc.Arbitrary<unknown> => fitting(schema, document.resolve);
const strange = (schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof(fits(schema), fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), anyJson);

function goodRequest(operation: Operation): fc.Arbitrary<RandomRequest> {
  const wanted = () => bodies[nameOf(operation)] ?? fits(operation.body);
  const body = operation.body === undefined ? fc.constant(undefined) : wanted();
  return requests(operation, parametersBy(operation, fits), body, true);
}

/** Invalid parameters, an invalid body, or both. */
function badRequest(operation: Operation): fc.Arbitrary<RandomRequest> {
  return requests(operation, parametersBy(operation, strange), badBody(operation), false);
}

/** A valid path with an invalid body. */
function requestWithBadBody(operation: Operation): fc.Arbitrary<RandomRequest> {
  return requests(operation, parametersBy(operation, fits), badBody(operation), false);
}

function requests(
  operation: Operation,
  parameters: fc.Arbitrary<Given>,
  made: fc.Arbitrary<unknown>,
  isValid: boolean,
): fc.Arbitrary<RandomRequest> {
  return fc
    .tuple(parameters, made)
    .map(([given, body]) => ({ path: pathOf(operation, given), body, isValid }));
}

/** Almost valid or far from it, not JSON, missing where one is required, present where none is. */
function badBody({ body }: Operation): fc.Arbitrary<unknown> {
  const near = body === undefined ? anyJson : nearby(body, document.resolve);
  const noJson = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 50 }),
    fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
  );
  return fc.oneof(
    { weight: 6, arbitrary: near.map(withoutExcludedSections) },
    { weight: 1, arbitrary: noJson },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

type Given = ReadonlyMap<string, unknown>;

function parametersBy(
  { parameters }: Operation,
  make: (schema: Schema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Given> {
  const made = parameters.map(({ name, place, schema }) =>
    (place === 'path' ? make(schema) : fc.option(make(schema), { nil: undefined })).map(
      (value) => [name, value] as const,
    ),
  );
  return fc.tuple(...made).map((pairs) => new Map(pairs));
}

function pathOf({ path, parameters }: Operation, given: Given): string {
  const text = (name: string): string => {
    const value = given.get(name);
    return encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));
  };
  // An empty segment would name another path.
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => text(name) || 'x');
  const query = parameters
    .filter(({ name, place }) => place === 'query' && given.get(name) !== undefined)
    .map(({ name }) => `${name}=${text(name)}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function send(service: Service, { method }: Operation, { path, body }: RandomRequest): Promise<Reply> {
  // `call` sends a string unchanged, so a JSON string is serialised here.
  const sent = typeof body === 'string' ? { body: JSON.stringify(body) } : { body };
  return service.call(method, path, body === undefined ? {} : sent);
}

function checkReply(operation: Operation, { path, body, isValid }: RandomRequest, reply: Reply): void {
  assertDeclared(operation, reply);
  const where = `${operation.method} ${path} ${JSON.stringify(body)}: ${reply.status} ${reply.text}`;
  const message = String(at(reply.body, 'error', 'message'));
  if (isValid)
    assert.doesNotMatch(message, /^(?:Invalid (?:field|parameter|request body|URL)|No request body)/, where);
  if (isValid || operation.body === undefined || body === undefined || Buffer.isBuffer(body)) return;
  const check = document.checkAt(
    ...placeOf(operation),
    'requestBody',
    'content',
    'application/json',
    'schema',
  );
  if (!check(body)) assert.ok(reply.status >= 400, where);
}

/** Checks everything that the document declares about a reply. */
function assertDeclared(operation: Operation, reply: Reply): void {
  const where = `${nameOf(operation)}: ${reply.status} ${reply.text.slice(0, 400)}`;
  const declared = at(operation.declared, 'responses', String(reply.status));
  assert.ok(declared !== undefined, `not declared: ${where}`);
  assert.ok(reply.status !== 500, where);
  const content = Object(at(declared, 'content') ?? {});
  const types = Object.keys(content);
  if (types.length === 0) {
    assert.equal(reply.text, '', where);
    return;
  }
  const type = String(reply.headers['content-type']);
  assert.ok(
    types.some((wanted) => wanted === '*/*' || type.startsWith(wanted)),
    `${type}: ${where}`,
  );
  if (at(content, 'application/json', 'schema') === undefined) return;
  assert.equal(type, 'application/json; charset=utf-8');
  const place = ['responses', String(reply.status), 'content', 'application/json', 'schema'];
  const check = document.checkAt(...placeOf(operation), ...place);
  assert.ok(check(reply.body), `${JSON.stringify(check.errors)}: ${where}`);
  assert.equal(typeof at(reply.body, 'took'), 'number', where);
}

/** Reported before authentication. */
function isWrongUrl(reply: Reply): boolean {
  return at(reply.body, 'error', 'message') === 'Invalid URL';
}

function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}

function placeOf({ method, path }: Operation): readonly string[] {
  return ['paths', path, method.toLowerCase()];
}

/** Random values for the settings that may be changed, some of them valid. */
async function harmlessSettings(): Promise<fc.Arbitrary<Record<string, unknown>>> {
  const { body } = await open.call('GET', '/api/config');
  const names = Object.entries(Object(at(body, 'config', 'dns'))).filter(
    ([name]) => !EXCLUDED_SETTINGS.includes(name),
  );
  const values = names.map(([name, value]) => [name, fc.oneof(fc.constant(value), niceJson)] as const);
  return fc.record(Object.fromEntries(values), { requiredKeys: [] });
}

/** Removes the excluded sections from a random change of settings. */
function withoutExcludedSections(body: unknown): unknown {
  const config = at(body, 'config');
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return body;
  const harmless = Object.entries(config).filter(([name]) => !EXCLUDED_SECTIONS.includes(name));
  return { ...Object(body), config: Object.fromEntries(harmless) };
}
