// HTTP basics of the API, seen from outside: the envelope of every kind of reply, unknown paths and methods,
// and accepted bodies. Existing clients of this API compare some of these texts and statuses.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from './running/boot.ts';
import type { Via } from './running/client.ts';
import { sendRaw } from './running/raw.ts';
import { assertEnvelope, assertError, at, listAt } from './running/reply.ts';

const service = await boot();
after(() => service.stop());
const ways: readonly Via[] = ['http', 'https', 'h2', 'control'];

describe('the envelope', () => {
  for (const via of ways) {
    test(`is around every kind of reply over ${via}`, async () => {
      const health = await service.call('GET', '/api/health', { via });
      assert.equal(health.status, 200);
      assertEnvelope(health);
      assert.equal(at(health.body, 'status'), 'ok');
      const created = await service.call('POST', '/api/groups', { via, body: { name: `by ${via}` } });
      assert.equal(created.status, 201);
      assertEnvelope(created);
      assert.match(String(created.headers['location']), /^\/api\/groups\/by%20/);
      assertError(await service.call('GET', '/api/none', { via }), { status: 404, key: 'not_found' });
      assertError(await service.call('PUT', '/api/health', { via }), { status: 405 });
      const invalid = await service.call('POST', '/api/groups', { via, body: '{' });
      assertError(invalid, { status: 400, key: 'bad_request' });
      const deleted = await service.call('DELETE', `/api/groups/by%20${via}`, { via });
      assert.deepEqual([deleted.status, deleted.text], [204, '']);
    });
  }

  test('has only `took` when the reply has no other fields', async () => {
    const put = await service.call('PUT', '/api/config/dns/hosts/192.0.2.9%20nas.lan');
    assert.deepEqual([put.status, Object.keys(Object(put.body))], [201, ['took']]);
    // The same with another number of blanks is the same item: PUT is idempotent.
    for (const again of ['192.0.2.9%20nas.lan', '192.0.2.9%20%20nas.lan']) {
      const second = await service.call('PUT', `/api/config/dns/hosts/${again}`);
      assert.deepEqual([second.status, Object.keys(Object(second.body))], [200, ['took']]);
    }
    assert.equal((await service.call('DELETE', '/api/config/dns/hosts/192.0.2.9%20nas.lan')).status, 204);
  });

  test('is around the 400 for bytes that are not an HTTP request', async () => {
    const { replies, isClosed } = await sendRaw(service, ['what is this\r\n\r\n']);
    assert.equal(replies.length, 1);
    for (const reply of replies) assertError(reply, { status: 400, key: 'bad_request' });
    assert.ok(isClosed);
  });
});

describe('an unknown path', () => {
  const table: readonly (readonly [path: string, hint: string])[] = [
    ['/api/none', '/api/none'],
    ['/api', '/api'],
    ['/none', '/none'],
    ['/api/none?and=query', '/api/none'],
    ['/api/with%20blank', '/api/with blank'],
    ['/api/%C3%BCber/%E2%98%83', '/api/über/☃'],
    ['/api/groups/a/b', '/api/groups/a/b'],
    ['/API/GROUPS', '/API/GROUPS'],
    ['/administration/api', '/administration/api'],
  ];
  for (const [path, hint] of table) {
    test(`GET ${path} gets 404 with the path as hint`, async () => {
      assertError(await service.call('GET', path), { status: 404, message: 'Not found', hint });
    });
  }

  test('GET of a group that does not exist gets 404 with its name as hint', async () => {
    const reply = await service.call('GET', '/api/groups/absent');
    assertError(reply, { status: 404, key: 'not_found', hint: 'absent' });
  });
});

describe('an unknown method', () => {
  const groups = ['GET', 'HEAD', 'OPTIONS', 'POST'];
  const table: readonly (readonly [method: string, path: string, allow: readonly string[]])[] = [
    ['POST', '/api/health', ['GET', 'HEAD', 'OPTIONS']],
    ['DELETE', '/api/docs', ['GET', 'HEAD', 'OPTIONS']],
    ['PUT', '/', ['GET', 'HEAD', 'OPTIONS']],
    ['PATCH', '/api/groups', groups],
    ['DELETE', '/api/groups/', groups],
    ['TRACE', '/api/groups', groups],
    ['PROPFIND', '/api/groups', groups],
    ['M-SEARCH', '/api/groups', groups],
    ['POST', '/api/groups/Default', ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT']],
    ['POST', '/api/config', ['GET', 'HEAD', 'OPTIONS', 'PATCH']],
    ['POST', '/api/config/dns/hosts', ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PUT']],
  ];
  for (const [method, path, allow] of table) {
    test(`${method} ${path} gets 405 with Allow`, async () => {
      const reply = await service.call(method, path);
      assertError(reply, { status: 405, key: 'method_not_allowed', message: 'Method not allowed' });
      assert.deepEqual(methodsOf(reply.headers['allow']), allow);
    });
  }

  test('BREW, which is not an HTTP method, gets 400', async () => {
    const { replies } = await sendRaw(service, ['BREW /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n']);
    for (const reply of replies) assertError(reply, { status: 400 });
    assert.equal(replies.length, 1);
  });
});

describe('OPTIONS and HEAD', () => {
  for (const path of ['/api/groups', '/api/groups/', '/api/groups/absent', '/api/config/dns', '/']) {
    test(`OPTIONS ${path} gets 204 with Allow`, async () => {
      const reply = await service.call('OPTIONS', path);
      assert.deepEqual([reply.status, reply.text], [204, '']);
      assert.ok(methodsOf(reply.headers['allow']).includes('OPTIONS'));
    });
  }

  test('OPTIONS of an unknown path gets 404', async () => {
    assertError(await service.call('OPTIONS', '/api/none'), { status: 404 });
  });

  for (const path of ['/api/health', '/api/groups', '/api/docs', '/api/docs/openapi.json', '/api/none']) {
    test(`HEAD ${path} gets the headers of GET without the body`, async () => {
      const [got, head] = [await service.call('GET', path), await service.call('HEAD', path)];
      assert.deepEqual([head.status, head.text], [got.status, '']);
      assert.equal(head.headers['content-type'], got.headers['content-type']);
      assert.ok(Number(head.headers['content-length']) > 0);
    });
  }
});

describe('paths outside the API', () => {
  for (const path of ['/admin/api', '/admin/api/', '/admin/api/groups', '/admin/api.php?summary']) {
    test(`GET ${path} gets 400 with a hint where the API is`, async () => {
      const reply = await service.call('GET', path, { headers: { host: 'sluice.lan' } });
      const hint = 'The API is hosted at sluice.lan/api, not sluice.lan/admin/api';
      assertError(reply, { status: 400, key: 'bad_request', message: 'Bad request', hint });
    });
  }

  test('GET / gets 302 to the documentation', async () => {
    const reply = await service.call('GET', '/');
    assert.deepEqual([reply.status, reply.headers['location']], [302, '/api/docs']);
    const page = await service.call('GET', String(reply.headers['location']));
    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-type']), /^text\/html/);
  });

  for (const path of ['/api/health', '/api/docs', '/api/groups', '/api/config', '/api/groups/Default']) {
    test(`GET ${path}/ gets the same reply as without the slash`, async () => {
      const [plain, slashed] = [await service.call('GET', path), await service.call('GET', `${path}/`)];
      assert.deepEqual(
        [slashed.status, Object.keys(Object(slashed.body))],
        [200, Object.keys(Object(plain.body))],
      );
    });
  }
});

describe('a body is read as JSON', () => {
  const types = [
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml; charset=latin1',
    'nonsense',
    ';;;',
  ];
  for (const [index, type] of types.entries()) {
    test(`with the Content-Type ${String(type)}`, async () => {
      const headers = type === undefined ? {} : { 'content-type': type };
      const reply = await service.call('POST', '/api/groups', { headers, body: { name: `type ${index} ü` } });
      assert.equal(reply.status, 201, reply.text);
      assert.equal(at(reply.body, 'groups', 0, 'name'), `type ${index} ü`);
    });
  }

  test('when it comes in chunks, and after 100-continue', async () => {
    const chunked = { 'transfer-encoding': 'chunked' };
    const inChunks = await service.call('POST', '/api/groups', {
      headers: chunked,
      body: { name: 'chunked' },
    });
    assert.equal(inChunks.status, 201);
    const head =
      'POST /api/groups HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16\r\nExpect: 100-continue\r\n\r\n';
    const { replies } = await sendRaw(service, [head, '{"name":"later"}'], { replies: 2 });
    assert.deepEqual(
      replies.map(({ status }) => status),
      [100, 201],
    );
  });

  test('with GET, HEAD and DELETE, where it has no effect', async () => {
    for (const body of ['{"sid":"x"}', '{broken', 'x'.repeat(1000)]) {
      assert.equal((await service.call('GET', '/api/groups', { body })).status, 200);
      assert.equal((await service.call('HEAD', '/api/groups', { body })).status, 200);
      await service.call('POST', '/api/groups', { body: { name: 'short-lived' } });
      assert.equal((await service.call('DELETE', '/api/groups/short-lived', { body })).status, 204);
    }
  });
});

describe('a missing or wrong body', () => {
  const missing = { status: 400, key: 'bad_request', message: 'No request body data', hint: null };
  const invalid = { status: 400, key: 'bad_request', message: 'Invalid request body data' };
  const endpoints: readonly (readonly [string, string])[] = [
    ['POST', '/api/groups'],
    ['PUT', '/api/groups/any'],
    ['PATCH', '/api/config'],
  ];
  for (const [method, path] of endpoints) {
    test(`of ${method} ${path}: a missing one gets 400 "No request body data"`, async () => {
      assertError(await service.call(method, path), missing);
      assertError(
        await service.call(method, path, { headers: { 'content-type': 'application/json' } }),
        missing,
      );
      assertError(await service.call(method, path, { body: '' }), missing);
      const chunked = { 'transfer-encoding': 'chunked' };
      assertError(await service.call(method, path, { body: '', headers: chunked }), missing);
    });
    for (const body of [
      '{',
      '{"name":}',
      'name=x',
      ' ',
      'null',
      '1',
      '"x"',
      '[]',
      '[{}]',
      '{"a":1}x',
      "{'a':1}",
    ]) {
      test(`of ${method} ${path}: ${JSON.stringify(body)} gets 400 "Invalid request body data"`, async () => {
        assertError(await service.call(method, path, { body }), invalid);
      });
    }
  }
});

describe('unknown fields of a body', () => {
  test('are named in `ignored`, which does not contain `sid`', async () => {
    const body = { name: 'with extras', sid: 'who asks', colour: 'red', size: { deep: true } };
    const reply = await service.call('POST', '/api/groups', { body });
    assert.deepEqual([reply.status, at(reply.body, 'ignored')], [201, ['colour', 'size']]);
  });

  test('are not reported when there are none', async () => {
    const reply = await service.call('PUT', '/api/groups/plain', { body: { comment: 'c' } });
    assert.deepEqual([reply.status, Object.keys(Object(reply.body))], [200, ['groups', 'processed', 'took']]);
  });

  test('in the settings are named with their path', async () => {
    const config = { dns: { nonsense: 1, blocking: { mode: 'NX', more: [] } }, none: { at: { all: 1 } } };
    const reply = await service.call('PATCH', '/api/config', { body: { config, beside: 1 } });
    assert.equal(reply.status, 200, reply.text);
    const ignored = [...listAt(reply.body, 'ignored')].map(String).toSorted();
    assert.deepEqual(ignored, [
      'beside',
      'config.dns.blocking.more',
      'config.dns.nonsense',
      'config.none.at.all',
    ]);
  });

  test('are named up to a limit of 32', async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field${index}`, index]));
    const reply = await service.call('PUT', '/api/groups/plain', { body: many });
    assert.equal(reply.status, 200);
    assert.equal(listAt(reply.body, 'ignored').length, 32);
    const nested = await service.call('PATCH', '/api/config', { body: { ...many, config: { dns: many } } });
    assert.equal(nested.status, 200);
    assert.ok(listAt(nested.body, 'ignored').length <= 32, `${listAt(nested.body, 'ignored').length} names`);
  });
});

function methodsOf(allow: string | undefined): string[] {
  return (allow ?? '').split(/, */).toSorted();
}
