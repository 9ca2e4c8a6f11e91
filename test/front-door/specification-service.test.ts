// What the specification says about the service as a whole, its error envelope, messages, status codes and
// documentation, statement by statement, tested against a service with a password.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { assertEnvelope, assertError, at, type WantedError } from '../running/reply.ts';
import { openClient } from './support/client.ts';
import { bootWithPassword, bySid, login, createApp, password, openSession } from './support/session.ts';

const service = await bootWithPassword({ env: { SLUICE_WEB_HTTPS: '127.0.0.1:0' } });
after(() => service.stop());
const guest = openClient(service);
const member = openClient(service, { headers: bySid(await openSession(guest)) });
const ways = ['http', 'https', 'h2', 'control'] as const;

describe('what the service does', () => {
  test('"the service exposes a REST API under {base_url}/api"', async () => {
    assert.equal((await member.send('GET', '/api/groups')).status, 200);
    assertError(await member.send('GET', '/groups'), { status: 404 });
  });

  for (const via of ways) {
    test(`"every API response body is UTF-8 JSON" over ${via}`, async () => {
      const client = openClient(service, { via });
      assertEnvelope(await client.send('GET', '/api/health'));
      assertEnvelope(await client.send('GET', '/api/groups'));
      assertEnvelope(await client.send('POST', '/api/auth', { body: '{' }));
    });
  }

  test('"took: processing time in seconds (fractional)": at most what the caller waited', async () => {
    const startedMs = performance.now();
    const reply = await login(guest, password);
    const waitedSeconds = (performance.now() - startedMs) / 1000;
    assertEnvelope(reply);
    const took = Number(at(reply.body, 'took'));
    assert.ok(took > 0 && took <= waitedSeconds && !Number.isInteger(took), `${took} of ${waitedSeconds} s`);
  });

  test('"every API response body is UTF-8 JSON": text of any script is returned unchanged', async () => {
    const comment = 'Größe 大 🐟 "quoted" \\ /';
    const created = await member.send('POST', '/api/groups', { body: { name: 'utf-8', comment } });
    assert.equal(at(created.body, 'groups', 0, 'comment'), comment);
  });

  const groups = ['/api/auth', '/api/dns/blocking', '/api/info/version', '/api/domains', '/api/groups'];
  for (const path of groups) {
    test(`"endpoints are grouped by function": ${path}`, async () => {
      assert.equal((await member.send('GET', path)).status, 200);
    });
  }

  const open = ['/api/docs', '/api/docs/openapi.json', '/api/health', '/api/info/login', '/api/info/client'];
  for (const path of open) {
    test(`"most endpoints require authentication; some do not": ${path} does not`, async () => {
      assert.equal((await guest.send('GET', path)).status, 200);
    });
  }

  test('"HTTPS is offered by the service"', async () => {
    const { body } = await guest.send('GET', '/api/info/login');
    assert.equal(at(body, 'https_port'), service.httpsPort);
    const session = await openSession(openClient(service, { via: 'https' }));
    assert.equal((await guest.send('GET', '/api/groups', { headers: bySid(session) })).status, 200);
  });
});

describe('"the API documentation is served by the service itself at {base_url}/api/docs"', () => {
  test('a page, without authentication', async () => {
    const reply = await guest.send('GET', '/api/docs');
    assert.equal(reply.status, 200);
    assert.match(String(reply.headers['content-type']), /^text\/html/);
  });

  test('"and matches the API version of that installation"', async () => {
    const [{ body: document }, version] = await Promise.all([
      guest.send('GET', '/api/docs/openapi.json'),
      member.send('GET', '/api/info/version'),
    ]);
    const own = String(at(version.body, 'version', 'core', 'local', 'version'));
    assert.equal(`v${String(at(document, 'info', 'version'))}`, own);
  });

  test('every path in the specification is in the document', async () => {
    const { body } = await guest.send('GET', '/api/docs/openapi.json');
    const table: readonly (readonly [method: string, path: string])[] = [
      ['post', '/api/auth'],
      ['delete', '/api/auth'],
      ['get', '/api/dns/blocking'],
      ['get', '/api/info/version'],
      ['get', '/api/domains'],
      ['get', '/api/groups'],
      ['post', '/api/groups'],
      ['get', '/api/groups/{name}'],
      ['put', '/api/groups/{name}'],
      ['delete', '/api/groups/{name}'],
      ['get', '/api/docs'],
    ];
    for (const [method, path] of table) {
      assert.notEqual(at(body, 'paths', path, method), undefined, `${method} ${path}`);
    }
  });
});

describe('"an endpoint that requires authentication answers HTTP 401" without a credential', async () => {
  const { body: document } = await guest.send('GET', '/api/docs/openapi.json');
  const paths = Object.entries(Object(at(document, 'paths')));
  for (const [path, item] of paths) {
    for (const [method, operation] of Object.entries(Object(item))) {
      if (!isClosed(operation)) continue;
      test(`${method.toUpperCase()} ${path}`, async () => {
        const url = path.replaceAll(/\{\w+\}/g, '1');
        const reply = await guest.send(method.toUpperCase(), url);
        assertError(reply, { status: 401, key: 'unauthorized', message: 'Unauthorized', hint: null });
      });
    }
  }

  const spellings: readonly (readonly [path: string, status: number])[] = [
    ['/api/groups/', 401],
    ['/api/groups?', 401],
    ['/api/groups?sid=', 401],
    ['/api/groups#here', 401],
    ['/api/%67roups', 401],
    ['/api//groups', 404],
    ['//api/groups', 404],
    ['/api/./groups', 404],
    ['/api/health/../groups', 404],
    ['/API/groups', 404],
    ['/api/groups;x=/api/health', 404],
    ['/api/docs/..%2fgroups', 404],
    ['/api/docs/%2e%2e/groups', 404],
  ];
  for (const [path, status] of spellings) {
    test(`GET ${path} gets ${status}: no other spelling of the path bypasses authentication`, async () => {
      const reply = await guest.send('GET', path);
      assertError(reply, { status });
      assert.equal(at(reply.body, 'groups'), undefined);
    });
  }

  test('HEAD /api/groups gets 401', async () => {
    assert.equal((await guest.send('HEAD', '/api/groups')).status, 401);
    assert.equal((await member.send('HEAD', '/api/groups')).status, 200);
  });

  test('DELETE with headers that name another method or path gets 401', async () => {
    const headers = { 'X-HTTP-Method-Override': 'GET', 'X-Original-URL': '/api/health' };
    assertError(await guest.send('DELETE', '/api/groups/utf-8', { headers }), { status: 401 });
  });
});

describe('"every error reply is a JSON object { error: { key, message, hint } }"', () => {
  const table: readonly (readonly [name: string, ask: readonly [string, string, unknown?], WantedError])[] = [
    [
      '"No request body data: the payload is empty"',
      ['POST', '/api/groups'],
      { status: 400, key: 'bad_request', message: 'No request body data' },
    ],
    [
      '"Invalid request body data: the payload is not valid JSON"',
      ['POST', '/api/groups', '{"name":'],
      { status: 400, key: 'bad_request', message: 'Invalid request body data' },
    ],
    [
      '"No "domain" string in body data: the required field `domain` is missing"',
      ['POST', '/api/domains/deny/exact', { comment: 'no domain' }],
      { status: 400, key: 'bad_request', message: 'No "domain" string in body data' },
    ],
    [
      '"Could not add to gravity database: the entry exists already"',
      ['POST', '/api/groups', { name: 'Default' }],
      {
        status: 400,
        key: 'database_error',
        message: 'Could not add to gravity database',
        hint: { argument: 'Default', enabled: true, sql_msg: 'UNIQUE constraint failed: group.name' },
      },
    ],
    ['"404: the resource does not exist"', ['GET', '/api/groups/absent'], { status: 404, key: 'not_found' }],
    ['an unknown path', ['GET', '/api/none'], { status: 404, key: 'not_found' }],
    ['an unknown method', ['PUT', '/api/groups'], { status: 405, key: 'method_not_allowed' }],
    ['"400: often a missing required parameter"', ['POST', '/api/groups', {}], { status: 400 }],
    ['the default group', ['DELETE', '/api/groups/Default'], { status: 403, key: 'forbidden' }],
  ];
  for (const [name, [method, path, body], wanted] of table) {
    test(name, async () => assertError(await member.send(method, path, { body }), wanted));
  }

  test('"402: parameters were valid but the request failed"', async () => {
    const { body } = await member.send('GET', '/api/revisions?count=1');
    const version = Number(at(body, 'revisions', 0, 'version'));
    await member.send('PATCH', '/api/groups/utf-8', { body: { comment: 'changed since' } });
    const undone = await member.send('POST', `/api/revisions/${version}:undo`);
    assertError(undone, { status: 402, key: 'request_failed' });
  });

  test('"403: the credential lacks permission for the request"', async () => {
    const app = await createApp(service, 'without sudo');
    const limited = openClient(service, { headers: bySid(await openSession(guest, app.password)) });
    const reply = await limited.send('PATCH', '/api/config', { body: { config: {} } });
    assertError(reply, { status: 403, key: 'forbidden' });
  });
});

function isClosed(operation: unknown): boolean {
  const security = at(operation, 'security');
  return Array.isArray(security) && security.length > 0;
}
