// Walks the served OpenAPI document and sends every operation requests made by chance from its schemas,
// good and bad. Whatever is sent: the status is one that the document declares for the operation, the body
// is what it declares for that status, and never 500. A request that fits its schema is not refused for its
// form; one that does not fit is refused. New endpoints are tried without a change here. A failure names
// its seed, and SLUICE_TEST_SEED repeats it. Two test files use it: one with a few requests, one with many.

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
 * The short list of what chance must not touch, or alone would never find. Updating lists asks the network
 * for whatever chance has subscribed to, and a stream of events does not end. Settings of these sections move
 * listeners, change who may ask, or silence the log.
 */
const operationsLeftAlone = ['POST /api/action/gravity', 'GET /api/events'];
const sectionsLeftAlone = ['web', 'auth', 'log', 'storage'];
const settingsLeftAlone = ['listen'];
const bodies: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'PATCH /api/config': (await harmlessSettings()).map((dns) => ({ config: { dns } })),
};

type Asked = { readonly path: string; readonly body: unknown; readonly isFitting: boolean };

/** How many requests of each kind every operation gets. */
export type Runs = { readonly good: number; readonly bad: number; readonly unauthorized: number };

export function testRequestsByChance(runs: Runs): void {
  describe(`requests made by chance with seed ${seed}`, () => {
    for (const operation of document.operations)
      if (!operationsLeftAlone.includes(nameOf(operation))) testOperation(operation, runs);

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
    await tryMany(goodRequest(operation), runs.good, async (asked) =>
      judge(operation, asked, await ask(open, operation, asked)),
    );
  });

  test(`${name} refuses requests that do not fit the schema as the document declares`, async () => {
    await tryMany(badRequest(operation), runs.bad, async (asked) =>
      judge(operation, asked, await ask(open, operation, asked)),
    );
  });

  const isOpen = listAt(operation.declared, 'security').length === 0;
  test(`${name} without a session ${isOpen ? 'replies as the document declares' : 'is 401'}`, async () => {
    await tryMany(requestWithBadBody(operation), runs.unauthorized, async (asked) => {
      const reply = await ask(locked, operation, asked);
      assertDeclared(operation, reply);
      if (!isOpen && !isWrongUrl(reply)) assert.equal(reply.status, 401, reply.text);
    });
  });
}

async function tryMany(
  requested: fc.Arbitrary<Asked>,
  numRuns: number,
  check: (asked: Asked) => Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(requested, check);
  await fc.assert(property, { seed, numRuns });
}

const fits = (schema: Schema): fc.Arbitrary<unknown> => fitting(schema, document.resolve);
const strange = (schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof(fits(schema), fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), anyJson);

function goodRequest(operation: Operation): fc.Arbitrary<Asked> {
  const wanted = () => bodies[nameOf(operation)] ?? fits(operation.body);
  const body = operation.body === undefined ? fc.constant(undefined) : wanted();
  return requests(operation, parametersBy(operation, fits), body, true);
}

/** Wrong in its parameters, its body, or both. */
function badRequest(operation: Operation): fc.Arbitrary<Asked> {
  return requests(operation, parametersBy(operation, strange), badBody(operation), false);
}

/** One that names a path that there is, whatever it carries. */
function requestWithBadBody(operation: Operation): fc.Arbitrary<Asked> {
  return requests(operation, parametersBy(operation, fits), badBody(operation), false);
}

function requests(
  operation: Operation,
  parameters: fc.Arbitrary<Given>,
  made: fc.Arbitrary<unknown>,
  isFitting: boolean,
): fc.Arbitrary<Asked> {
  return fc
    .tuple(parameters, made)
    .map(([given, body]) => ({ path: pathOf(operation, given), body, isFitting }));
}

/** Near to what is wanted or far from it, no JSON at all, none where one is wanted, one where none is. */
function badBody({ body }: Operation): fc.Arbitrary<unknown> {
  const near = body === undefined ? anyJson : nearby(body, document.resolve);
  const noJson = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 50 }),
    fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
  );
  return fc.oneof(
    { weight: 6, arbitrary: near.map(withoutDanger) },
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
  // An empty part would name another path.
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => text(name) || 'x');
  const query = parameters
    .filter(({ name, place }) => place === 'query' && given.get(name) !== undefined)
    .map(({ name }) => `${name}=${text(name)}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function ask(service: Service, { method }: Operation, { path, body }: Asked): Promise<Reply> {
  // A text is sent as it is, so a text that is meant as JSON is written out here.
  const sent = typeof body === 'string' ? { body: JSON.stringify(body) } : { body };
  return service.call(method, path, body === undefined ? {} : sent);
}

function judge(operation: Operation, { path, body, isFitting }: Asked, reply: Reply): void {
  assertDeclared(operation, reply);
  const where = `${operation.method} ${path} ${JSON.stringify(body)}: ${reply.status} ${reply.text}`;
  const message = String(at(reply.body, 'error', 'message'));
  if (isFitting)
    assert.doesNotMatch(message, /^(?:Invalid (?:field|parameter|request body|URL)|No request body)/, where);
  if (isFitting || operation.body === undefined || body === undefined || Buffer.isBuffer(body)) return;
  const check = document.checkAt(
    ...placeOf(operation),
    'requestBody',
    'content',
    'application/json',
    'schema',
  );
  if (!check(body)) assert.ok(reply.status >= 400, where);
}

/** Everything that the document promises of a reply. */
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

/** Found before anybody is asked who he is. */
function isWrongUrl(reply: Reply): boolean {
  return at(reply.body, 'error', 'message') === 'Invalid URL';
}

function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}

function placeOf({ method, path }: Operation): readonly string[] {
  return ['paths', path, method.toLowerCase()];
}

/** Values for the settings that may be changed, some of which are right. */
async function harmlessSettings(): Promise<fc.Arbitrary<Record<string, unknown>>> {
  const { body } = await open.call('GET', '/api/config');
  const names = Object.entries(Object(at(body, 'config', 'dns'))).filter(
    ([name]) => !settingsLeftAlone.includes(name),
  );
  const values = names.map(([name, value]) => [name, fc.oneof(fc.constant(value), niceJson)] as const);
  return fc.record(Object.fromEntries(values), { requiredKeys: [] });
}

/** A change of settings by chance must not name the sections that are left alone. */
function withoutDanger(body: unknown): unknown {
  const config = at(body, 'config');
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return body;
  const harmless = Object.entries(config).filter(([name]) => !sectionsLeftAlone.includes(name));
  return { ...Object(body), config: Object.fromEntries(harmless) };
}
