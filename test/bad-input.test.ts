// Bodies and paths that are wrong in every way we could think of: each gets a 4xx with the envelope, none is
// stored, and the service works as before. Limits are tested at their edge: the largest accepted value and
// the smallest refused one.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from './running/boot.ts';
import { sendRaw } from './running/raw.ts';
import { assertError, at, describe as show, type Reply } from './running/reply.ts';
import { assertUnharmed, stateOf } from './running/state.ts';

const service = await boot();
const before = await stateOf(service);
after(() => service.stop());

const maxDepth = 32;
/** Commas and opening brackets together. */
const maxElements = 50_000;
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
/** The body itself is one of the levels. */
const deepBody = (depth: number): string => `{"name":"deep","extra":${nested(depth - 1)}}`;
const bytes = (...values: number[]): Buffer => Buffer.from(values);
const around = (middle: Buffer): Buffer =>
  Buffer.concat([Buffer.from('{"name":"'), middle, Buffer.from('"}')]);

describe('a body that no endpoint accepts', () => {
  const bodies: Readonly<Record<string, string | Buffer>> = {
    'one level too deep': deepBody(maxDepth + 1),
    'ten thousand levels deep': deepBody(10_000),
    'half a million brackets that never close': '['.repeat(500_000),
    'objects within objects': `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    'one element too many': `{"name":"x","extra":[${'1,'.repeat(maxElements - 2)}1]}`,
    'hundreds of thousands of elements': `[${'1,'.repeat(449_999)}1]`,
    'an incomplete UTF-8 sequence': around(bytes(0xc3, 0x28)),
    'a byte that never occurs in UTF-8': around(bytes(0xff)),
    'NUL as two bytes': around(bytes(0xc0, 0x80)),
    'a surrogate encoded as bytes': around(bytes(0xed, 0xa0, 0x80)),
    'a UTF-8 sequence that is cut off at the end': Buffer.concat([
      Buffer.from('{"name":"x"}'),
      bytes(0xe2, 0x82),
    ]),
    'UTF-16': Buffer.from('{"name":"x"}', 'utf16le'),
    'a NUL byte within a text': around(bytes(0)),
    'a NUL byte after the end': '{"name":"x"}\0',
    'nothing but NUL bytes': '\0'.repeat(100),
    'an escaped NUL': String.raw`{"name":"a\u0000b"}`,
    'an escaped NUL in a key': String.raw`{"name":"x","a\u0000b":1}`,
    'a high surrogate alone': String.raw`{"name":"\ud800"}`,
    'a low surrogate alone': String.raw`{"name":"x\udfff"}`,
    'a surrogate pair in the wrong order': String.raw`{"name":"\udc00\ud800"}`,
    'a lone surrogate in a key': String.raw`{"name":"x","\ud800":1}`,
    'the same key twice': '{"name":"a","name":"b"}',
    'the same key twice, spelled differently': String.raw`{"name":"a","n\u0061me":"b"}`,
    'the same key twice, deep within': '{"name":"x","extra":[{"a":{"b":1,"c":2,"b":3}}]}',
    'a number without an end': `{"name":"x","enabled":1${'0'.repeat(10)}`,
    'a comment': '{"name":"x"/* y */}',
    'a comma too many': '{"name":"x",}',
    NaN: '{"name":NaN}',
    'a tab within a text': '{"name":"a\tb"}',
    'a line break within a text': '{"name":"a\nb"}',
    'a form': 'name=x&enabled=true',
    XML: '<name>x</name>',
    gzip: bytes(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0),
  };
  const endpoints = ['POST /api/groups', 'PUT /api/groups/x', 'PATCH /api/config'];
  for (const [name, body] of Object.entries(bodies)) {
    for (const endpoint of endpoints) {
      const [method = '', path = ''] = endpoint.split(' ');
      test(`${endpoint} with ${name} is refused with 400`, async () => {
        const reply = await service.call(method, path, { body });
        assertError(reply, { status: 400, key: 'bad_request', message: 'Invalid request body data' });
        assert.ok(reply.text.length < 2_000, 'The hint repeats the whole body.');
      });
    }
  }

  test('POST /api/groups with a body of 32 levels gets 201', async () => {
    const fits = await service.call('POST', '/api/groups', { body: deepBody(maxDepth) });
    assert.deepEqual([fits.status, at(fits.body, 'ignored')], [201, ['extra']], fits.text);
    assert.equal((await service.call('DELETE', '/api/groups/deep')).status, 204);
  });

  test('the service has stored nothing of it and still answers', () => assertUnharmed(service, before));
});

describe('fields of the wrong type or out of bounds', () => {
  const wrongNames: readonly unknown[] = [5, null, true, {}, [], [1], [null], ['fine', 5], [['nested']], ''];
  for (const name of wrongNames) {
    test(`POST /api/groups with the name ${JSON.stringify(name)} is refused with 400`, async () => {
      const reply = await service.call('POST', '/api/groups', { body: { name } });
      const message = 'No "name" string in body data';
      assertError(reply, { status: 400, key: 'bad_request', message });
    });
  }

  const long = (length: number): string => 'n'.repeat(length);
  const tooLong: Readonly<Record<string, object>> = {
    'a name of 256 characters': { name: long(256) },
    'one name of several': { name: ['fine', long(256)] },
    'a name of a million characters': { name: long(1_000_000) },
    'a name of 256 characters outside the first plane': { name: '😀'.repeat(256) },
    'a name of 200 letters that each have an accent': { name: 'e\u0301'.repeat(200) },
    '1001 names': { name: Array.from({ length: 1_001 }, (_, index) => `n${index}`) },
    'a comment of 4097 characters': { name: 'n', comment: long(4_097) },
  };
  for (const [name, body] of Object.entries(tooLong)) {
    test(`POST /api/groups with ${name} is refused with 400`, async () => {
      assertError(await service.call('POST', '/api/groups', { body }), { status: 400, key: 'bad_request' });
    });
  }

  const wrongFields: readonly object[] = [
    { comment: 5 },
    { comment: ['a'] },
    { comment: false },
    { enabled: 'true' },
    { enabled: 1 },
    { enabled: null },
    { enabled: {} },
    { name: '' },
    { name: ['a'] },
    { name: long(256) },
  ];
  for (const fields of wrongFields) {
    test(`PUT /api/groups/x with ${JSON.stringify(fields).slice(0, 40)} is refused with 400`, async () => {
      const body = { comment: 'c', ...fields };
      assertError(await service.call('PUT', '/api/groups/x', { body }), { status: 400, key: 'bad_request' });
    });
  }

  test('POST /api/groups with a name of 255 and a comment of 4096 characters gets 201', async () => {
    const name = '😀'.repeat(255);
    const path = `/api/groups/${encodeURIComponent(name)}`;
    const created = await service.call('POST', '/api/groups', { body: { name, comment: long(4_096) } });
    assert.equal(created.status, 201, created.text);
    assert.equal(at(created.body, 'groups', 0, 'name'), name);
    assert.equal((await service.call('GET', path)).status, 200);
    assert.equal((await service.call('DELETE', path)).status, 204);
  });

  const wrongConfigs: readonly (readonly [config: unknown, message: string])[] = [
    [undefined, 'No "config" object in body data'],
    [null, 'No "config" object in body data'],
    [[], 'No "config" object in body data'],
    ['dns', 'No "config" object in body data'],
    [{ dns: { blocking: { mode: 5 } } }, 'Config item is invalid'],
    [{ dns: { blocking: { mode: 'LOUD' } } }, 'Config item is invalid'],
    [{ dns: { blocking: { active: 'true' } } }, 'Config item is invalid'],
    [{ dns: { blockTTL: '2' } }, 'Config item is invalid'],
    [{ dns: { blockTTL: 2.5 } }, 'Config item is invalid'],
    [{ dns: { blockTTL: -1 } }, 'Config item validation failed'],
    [{ dns: { blockTTL: 86_401 } }, 'Config item validation failed'],
    [{ dns: { hosts: 'x' } }, 'Config item is invalid'],
    [{ dns: { hosts: [5] } }, 'Config item is invalid'],
    [{ dns: { hosts: [{}] } }, 'Config item is invalid'],
    [{ dns: { hosts: ['nowhere'] } }, 'Config item validation failed'],
    [{ dns: { hosts: null } }, 'Config item is invalid'],
    [{ web: { hosts: ['-'] } }, 'Config item validation failed'],
    [{ auth: { password: 5 } }, 'Config item is invalid'],
    // The first setting is valid, but a change is all or nothing.
    [{ dns: { blockTTL: 99, blocking: { mode: 'LOUD' } } }, 'Config item is invalid'],
  ];
  for (const [config, message] of wrongConfigs) {
    test(`PATCH /api/config with ${JSON.stringify(config)} is refused with 400`, async () => {
      const reply = await service.call('PATCH', '/api/config', { body: { config } });
      const key = message.startsWith('No ') ? 'body_error' : 'bad_request';
      assertError(reply, { status: 400, key, message });
    });
  }

  test('PATCH /api/config with a number that JSON cannot represent exactly is refused with 400', async () => {
    for (const number of ['1e999', '-1e999', '9007199254740993', '1e400']) {
      const reply = await service.call('PATCH', '/api/config', {
        body: `{"config":{"dns":{"blockTTL":${number}}}}`,
      });
      assertError(reply, { status: 400 });
    }
  });

  test('the service has stored nothing of it and still answers', () => assertUnharmed(service, before));
});

describe('prototypes', () => {
  const bodies: readonly string[] = [
    '{"__proto__":{"name":"p1"}}',
    '{"constructor":{"prototype":{"name":"p2"}}}',
    '{"__proto__":null}',
  ];
  for (const body of bodies) {
    test(`POST /api/groups with ${body} is refused with 400, because it has no name`, async () => {
      assertError(await service.call('POST', '/api/groups', { body }), { status: 400 });
    });
  }

  test('POST /api/groups ignores fields inside __proto__', async () => {
    const body = '{"name":"derived","__proto__":{"enabled":false,"comment":"inherited"},"toString":1}';
    const reply = await service.call('POST', '/api/groups', { body });
    assert.equal(reply.status, 201, reply.text);
    assert.deepEqual(
      [at(reply.body, 'groups', 0, 'enabled'), at(reply.body, 'groups', 0, 'comment')],
      [true, null],
    );
    assert.equal((await service.call('DELETE', '/api/groups/derived')).status, 204);
  });

  test('PATCH and PUT of /api/config change no setting through a prototype', async () => {
    for (const config of [
      '{"__proto__":{"dns":{"blockTTL":7}}}',
      '{"constructor":{"prototype":{"blockTTL":7}}}',
      '{"dns":{"__proto__":{"blockTTL":7}}}',
      '{"dns":{"blocking":{"__proto__":{"polluted":true}}}}',
      '{"toString":1,"hasOwnProperty":2,"valueOf":{"x":1}}',
    ]) {
      const reply = await service.call('PATCH', '/api/config', { body: `{"config":${config}}` });
      assert.equal(reply.status, 200, reply.text);
    }
    for (const element of ['__proto__', 'constructor', 'dns/__proto__', 'dns.constructor', 'toString']) {
      const reply = await service.call('GET', `/api/config/${element}`);
      assert.deepEqual([reply.status, at(reply.body, 'config')], [200, {}], element);
      assertError(await service.call('PUT', `/api/config/${element}/x`), { status: 404 });
    }
  });

  test('groups may have the names of prototypes', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      assertError(await service.call('GET', `/api/groups/${name}`), { status: 404 });
      assert.equal((await service.call('PUT', `/api/groups/${name}`, { body: {} })).status, 200);
      assert.equal((await service.call('GET', `/api/groups/${name}`)).status, 200);
      assert.equal((await service.call('DELETE', `/api/groups/${name}`)).status, 204);
    }
  });

  test('the service has stored nothing of it and still answers', () => assertUnharmed(service, before));
});

describe('paths', () => {
  const x = (length: number): string => 'x'.repeat(length);
  const maxUrlLength = 8_192;
  type Row = readonly [path: string, status: number];
  const table: readonly Row[] = [
    ['/api/%2e%2e/api/health', 404],
    ['/api/../api/health', 404],
    ['/../../etc/passwd', 404],
    ['/%2e%2e/%2e%2e/etc/passwd', 404],
    ['/api/docs/../../package.json', 404],
    ['/api/docs/%2e%2e%2fpackage.json', 404],
    ['/api/docs/..%2f..%2f..%2fetc%2fpasswd', 404],
    ['/api/docs/%2e%2e%5cpackage.json', 404],
    ['/api/docs/package.json', 404],
    ['/api/docs/absolute-path.js', 404],
    ['/api/docs/swagger-ui.css%00.png', 400],
    ['//api/health', 404],
    ['/api//health', 404],
    ['/api/groups//', 400],
    ['/api/./health', 404],
    ['/api/health;x=1', 404],
    ['/api\\health', 404],
    ['/api%2fhealth', 404],
    ['/api/%00', 400],
    ['/api/groups/%00', 400],
    ['/api/groups/a%00b', 400],
    ['/api/config/dns%00', 400],
    ['/api/%ff', 400],
    ['/api/groups/%ff', 400],
    ['/api/groups/%c3%28', 400],
    ['/api/groups/%ed%a0%80', 400],
    ['/api/groups/%c0%80', 400],
    ['/api/groups/%', 400],
    ['/api/groups/%zz', 400],
    ['/api/groups/%u0041', 400],
    [`/api/groups/${x(255)}`, 404],
    [`/api/groups/${x(256)}`, 400],
    [`/api/groups/${'%F0%9F%98%80'.repeat(255)}`, 404],
    [`/api/groups/${'%F0%9F%98%80'.repeat(256)}`, 400],
    [`/api/docs/${x(101)}`, 400],
    [`/api/config/${x(4_501)}`, 400],
    [`/${x(maxUrlLength - 1)}`, 404],
    [`/${x(maxUrlLength)}`, 400],
    [`/api/health?${x(maxUrlLength - 12)}`, 200],
    [`/api/health?${x(maxUrlLength - 11)}`, 400],
    ['/api/config?detailed=maybe', 400],
    ['/api/config?detailed=', 200],
    ['/api/config?detailed=%00', 400],
    ['/api/config?detailed=true&detailed=false', 200],
    ['/api/health?%zz=%ff', 400],
    ['/api/health?a=%C3%BC+%20', 200],
    ['/api/health?a=%00', 400],
    ['/api/health?a[b][c]=1&__proto__=x', 200],
    [`/api/health?${Array.from({ length: 2_000 }, () => 'a').join('&')}`, 200],
    ['*', 400],
    ['api/health', 400],
    ['http://localhost/api/health', 200],
    ['http://localhost/api/none', 404],
    ['http://evil.example/api/health', 421],
    ['ftp://localhost/api/health', 400],
    ['/api/health#fragment', 200],
  ];
  for (const [path, status] of table) {
    for (const via of ['http', 'https'] as const) {
      test(`GET ${path.slice(0, 60)} (${path.length} characters) over ${via} gets ${status}`, async () => {
        const reply = await getRaw(path, via);
        assert.equal(reply.status, status, show(reply));
        if (status >= 400) assertError(reply, { status });
      });
    }
  }

  test('GET of a path with an unescaped byte is refused with 400', async () => {
    for (const path of ['/api/he\0alth', '/api/he alth', '/api/groups/\xff', '/api/\x7f', '/api/\thealth']) {
      const { replies } = await sendRaw(service, [`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`], {
        replies: 1,
      });
      for (const reply of replies) assertError(reply, { status: 400 });
      assert.equal(replies.length, 1);
    }
  });

  test('the service has stored nothing of it and still answers', () => assertUnharmed(service, before));
});

async function getRaw(path: string, via: 'http' | 'https'): Promise<Reply> {
  const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const { replies } = await sendRaw(service, [head], { via, replies: 1 });
  const [reply] = replies;
  assert.ok(reply !== undefined, 'There is no reply.');
  return reply;
}
