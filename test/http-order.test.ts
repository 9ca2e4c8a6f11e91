// The order in which a request is checked, and the size of bodies at the edge of the limits. For a request
// that is wrong in several ways, the reply names the first problem in this order: path, method, size,
// authentication, body, permission, item. Callers without a session may send smaller bodies than others.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from './running/boot.ts';
import type { Via } from './running/client.ts';
import { sendRaw } from './running/raw.ts';
import { assertError, at } from './running/reply.ts';

const anonymousBytes = 65_536;
const authorisedBytes = 1_048_576;

const [open, locked] = await Promise.all([boot(), boot({ env: { SLUICE_AUTH_PASSWORD: 'a password' } })]);
after(() => Promise.all([open.stop(), locked.stop()]));
const ways: readonly Via[] = ['http', 'https', 'h2', 'control'];

describe('a request that is wrong in several ways', () => {
  const huge = 'x'.repeat(anonymousBytes + 1);
  const foreign = { host: 'evil.example', origin: 'https://evil.example' };
  const table: readonly (readonly [string, string, string, string, Record<string, string>, number])[] = [
    ['host before path', 'GET', '/api/none', '', foreign, 421],
    ['origin before path', 'GET', '/api/none', '', { origin: 'https://evil.example' }, 403],
    ['path before method', 'PROPFIND', '/api/none', huge, {}, 404],
    ['path before size', 'POST', '/api/none', huge, {}, 404],
    ['path before authentication', 'POST', '/api/none', '{', {}, 404],
    ['method before size', 'PATCH', '/api/groups', huge, {}, 405],
    ['method before authentication', 'PATCH', '/api/groups', '{', {}, 405],
    ['size before authentication', 'POST', '/api/groups', huge, {}, 413],
    ['size before authentication, with GET', 'GET', '/api/groups', huge, {}, 413],
    ['authentication before body', 'POST', '/api/groups', '{', {}, 401],
    ['authentication before a missing body', 'POST', '/api/groups', '', {}, 401],
    ['authentication before parameters', 'GET', '/api/config?detailed=perhaps', '', {}, 401],
    ['authentication before permission', 'DELETE', '/api/groups/Default', '', {}, 401],
    ['authentication before item', 'GET', '/api/groups/absent', '', {}, 401],
  ];
  for (const [name, method, path, text, headers, status] of table) {
    for (const via of ['http', 'https', 'h2'] as const) {
      test(`is refused with ${status} over ${via}: ${name}`, async () => {
        const body = text === '' ? {} : { body: text };
        assertError(await locked.call(method, path, { ...body, headers, via }), { status });
      });
    }
  }

  test('is refused for its body before permission and item are checked', async () => {
    const via = 'control';
    assertError(await locked.call('PUT', '/api/groups/absent', { body: '{', via }), { status: 400 });
    assertError(await locked.call('DELETE', '/api/groups/Default', { via }), {
      status: 403,
      key: 'forbidden',
    });
    assertError(await locked.call('DELETE', '/api/groups/absent', { via }), { status: 404 });
  });

  test('without a session gets 401 with the message that existing clients compare', async () => {
    const reply = await locked.call('GET', '/api/groups');
    assertError(reply, { status: 401, key: 'unauthorized', message: 'Unauthorized', hint: null });
  });

  test('needs no credential for an endpoint that is open to all', async () => {
    for (const path of ['/api/health', '/api/docs', '/api/docs/openapi.json']) {
      assert.equal((await locked.call('GET', path)).status, 200, path);
    }
    assert.equal((await locked.call('OPTIONS', '/api/groups')).status, 204);
    assert.equal((await locked.call('GET', '/api/groups', { via: 'control' })).status, 200);
  });
});

describe('the size of a body', () => {
  for (const via of ways) {
    for (const framing of ['with its length', 'in chunks'] as const) {
      if (via === 'h2' && framing === 'in chunks') continue;
      const headers: Record<string, string> =
        framing === 'in chunks' ? { 'transfer-encoding': 'chunked' } : {};

      test(`may be 1 MB ${framing} over ${via} with a session, and one byte more gets 413`, async () => {
        const name = `large ${framing} ${via}`;
        const fits = await open.call('POST', '/api/groups', {
          body: sized(name, authorisedBytes),
          headers,
          via,
        });
        assert.equal(fits.status, 201, fits.text);
        const body = sized(`${name} more`, authorisedBytes + 1);
        const tooLarge = await open.call('POST', '/api/groups', { body, headers, via });
        assertError(tooLarge, { status: 413, key: 'payload_too_large', hint: /1048576/ });
      });

      if (via === 'control') continue;
      test(`may be 64 kB ${framing} over ${via} without a session, and one byte more gets 413`, async () => {
        const body = sized('stranger', anonymousBytes);
        assertError(await locked.call('POST', '/api/groups', { body, headers, via }), { status: 401 });
        assert.equal((await locked.call('GET', '/api/health', { body, headers, via })).status, 200);
        const more = sized('stranger', anonymousBytes + 1);
        const tooLarge = await locked.call('POST', '/api/groups', { body: more, headers, via });
        assertError(tooLarge, { status: 413, hint: /65536/ });
        assertError(await locked.call('GET', '/api/health', { body: more, headers, via }), { status: 413 });
      });
    }
  }

  test('that is announced as too large is refused with 413 before it is sent', async () => {
    const sizes = [authorisedBytes + 1, 2 ** 40, Number.MAX_SAFE_INTEGER];
    const heads = sizes.map(
      (size) => `POST /api/groups HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${size}\r\n\r\n`,
    );
    for (const { replies, isClosed } of await Promise.all(heads.map((head) => sendRaw(open, [head])))) {
      assert.equal(replies.length, 1);
      for (const reply of replies) assertError(reply, { status: 413 });
      assert.ok(isClosed, 'The connection stays open for a body that the service will not read.');
    }
  });

  test('far beyond the limit is refused with 413, or the connection ends while it is sent', async () => {
    const body = sized('enormous', 20 * authorisedBytes);
    const framings: readonly Record<string, string>[] = [{}, { 'transfer-encoding': 'chunked' }];
    for (const headers of framings) {
      const reply = await open
        .call('POST', '/api/groups', { body, headers })
        .catch((error: unknown) => error);
      // A client that is still sending when the connection closes may not read the reply (RFC 9112 section
      // 9.6).
      if (reply instanceof Error) assert.match(reply.message, /EPIPE|ECONNRESET|hang up/);
      else assert.equal(at(reply, 'status'), 413);
    }
  });

  test('that was too large is not stored', async () => {
    const { body } = await open.call('GET', '/api/groups');
    const names = JSON.stringify(at(body, 'groups'));
    assert.doesNotMatch(names, / more"|enormous/);
  });
});

/** JSON of exactly this many bytes that creates a group. */
function sized(name: string, sizeBytes: number): Buffer {
  const [head, tail] = [`{"name":${JSON.stringify(name)},"padding":"`, '"}'];
  return Buffer.from(`${head}${'x'.repeat(sizeBytes - head.length - tail.length)}${tail}`);
}
