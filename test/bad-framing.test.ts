// Bytes that are almost HTTP: too many, too large or malformed headers, bodies with a wrong length, wrong
// chunks, pipelined requests with garbage between them, clients that never finish, and bytes that are not
// HTTP. Where HTTP allows a reply, the service sends one with the envelope. Then it closes the connection,
// because it cannot know where the next request begins (RFC 9112 section 11.2).

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from './running/boot.ts';
import { openSocket, sendRaw } from './running/raw.ts';
import { assertEnvelope, assertError, describe as show } from './running/reply.ts';
import { seeded } from './running/seeded.ts';
import { assertUnharmed, stateOf } from './running/state.ts';
import { until } from './running/waiting.ts';

const service = await boot();
const before = await stateOf(service);
after(() => service.stop());

/** These take 10 s, so they start before all other tests and are checked last. */
const neverFinished = (['http', 'https', 'control'] as const).flatMap((via) =>
  ['GET /api/hea', 'POST /api/groups HTTP/1.1\r\nHost: localhost\r\n'].map((sent) => ({
    via,
    sent,
    conversation: sendRaw(service, [sent], { via, maxFirstMs: 120_000 }),
  })),
);
const body = '{"name":"smuggled"}';
const post = (...headers: string[]): string =>
  ['POST /api/groups HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n');
const get = (...headers: string[]): string =>
  ['GET /api/health HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n');

describe('a request', () => {
  const table: Readonly<Record<string, readonly [status: number, ...pieces: string[]]>> = {
    'length and chunks together': [400, post('Content-Length: 5', 'Transfer-Encoding: chunked'), '0\r\n\r\n'],
    'chunks and length together': [400, post('Transfer-Encoding: chunked', 'Content-Length: 5'), '0\r\n\r\n'],
    'two lengths that differ': [400, post('Content-Length: 19', 'Content-Length: 20'), body],
    'two lengths in one header': [400, post('Content-Length: 19, 20'), body],
    'a negative length': [400, post('Content-Length: -1'), body],
    'a length with a sign': [400, post('Content-Length: +19'), body],
    'a length in hexadecimal': [400, post('Content-Length: 0x13'), body],
    'a length that is not a number': [400, post('Content-Length: many'), body],
    'a length of 30 digits': [400, post(`Content-Length: ${'9'.repeat(30)}`), body],
    'an unknown transfer coding': [400, post('Transfer-Encoding: cow'), body],
    'a coding after chunked': [400, post('Transfer-Encoding: chunked, gzip'), `13\r\n${body}\r\n0\r\n\r\n`],
    'chunked, misspelled': [400, post('Transfer-Encoding: xchunked'), `13\r\n${body}\r\n0\r\n\r\n`],
    'a chunk size that is not a number': [
      400,
      post('Transfer-Encoding: chunked'),
      `zz\r\n${body}\r\n0\r\n\r\n`,
    ],
    'a negative chunk size': [400, post('Transfer-Encoding: chunked'), `-13\r\n${body}\r\n0\r\n\r\n`],
    'a chunk size that overflows': [
      400,
      post('Transfer-Encoding: chunked'),
      `${'F'.repeat(20)}\r\n${body}\r\n0\r\n\r\n`,
    ],
    'a chunk longer than its size': [400, post('Transfer-Encoding: chunked'), `3\r\n${body}\r\n0\r\n\r\n`],
    'a chunk that ends in a bare line feed': [400, post('Transfer-Encoding: chunked'), `13\n${body}\n0\n\n`],
    'an endless chunk extension': [
      400,
      post('Transfer-Encoding: chunked'),
      `13;${'x'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`,
    ],
    'a trailer that is too large': [
      431,
      post('Transfer-Encoding: chunked'),
      `13\r\n${body}\r\n0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ],
    'a blank before the colon': [400, get('X-Thing : 1')],
    'a header without a name': [400, get(': 1')],
    'a header without a colon': [400, get('nonsense')],
    'a folded header': [400, get('X-Thing: 1', ' 2')],
    'a NUL in a header': [400, get('X-Thing: a\0b')],
    'a control character in a name': [400, get('X-\x01Thing: 1')],
    'a bare carriage return': [400, 'GET /api/health HTTP/1.1\r\nHost: localhost\rX: 1\r\n\r\n'],
    'lines that end in a bare line feed': [400, 'GET /api/health HTTP/1.1\nHost: localhost\n\n'],
    'an unknown HTTP version': [400, 'GET /api/health HTTP/9.9\r\nHost: localhost\r\n\r\n'],
    'no version': [400, 'GET /api/health\r\n\r\n'],
    'no method': [400, ' /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    'a method in lower case': [400, 'get /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    'the start of HTTP/2': [400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    'a header of 16 kB': [431, get(`X-Large: ${'x'.repeat(16_384)}`)],
    'a header of 60 kB': [431, get(`X-Large: ${'x'.repeat(60_000)}`)],
    'a URL of 60 kB': [431, `GET /${'x'.repeat(60_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    '100 headers beside Host': [431, get(...many(100))],
    '1500 headers': [431, get(...many(1_500))],
  };
  for (const [name, [status, ...pieces]] of Object.entries(table)) {
    for (const via of ['http', 'https'] as const) {
      test(`with ${name} over ${via} is refused with ${status}, and the connection ends`, async () => {
        const { replies, isClosed, bytes } = await sendRaw(service, pieces, { via });
        const [reply, ...more] = replies;
        assert.ok(isClosed, 'the connection stays open');
        assert.ok(reply !== undefined, `There is no reply: ${bytes.toString('latin1')}`);
        assertError(reply, { status });
        assert.deepEqual(more.map(show), [], 'the bytes after the bad request were read as a request');
      });
    }
  }

  // A client that is still sending when the connection closes may not read the reply (RFC 9112 section 9.6).
  test('with a header of 1 MB ends the connection', async () => {
    const { isClosed } = await sendRaw(service, [get(`X-Large: ${'x'.repeat(1_048_576)}`)]);
    assert.ok(isClosed, 'the connection stays open');
  });

  test('with 99 headers besides Host gets 200', async () => {
    const { replies } = await sendRaw(service, [get(...many(99))], { replies: 1 });
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200],
    );
  });

  test('with an unknown expectation gets 200 (RFC 9110 section 10.1.1)', async () => {
    const { replies } = await sendRaw(service, [get('Expect: the-unexpected')], { replies: 1 });
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200],
    );
    for (const reply of replies) assertEnvelope(reply);
  });

  test('with a foreign Origin after 150 other headers is refused with 431', async () => {
    const head = get(...many(150), 'Origin: https://evil.example');
    const { replies } = await sendRaw(service, [head], { replies: 1 });
    assert.equal(replies.length, 1);
    for (const reply of replies) assertError(reply, { status: 431 });
  });
});

describe('pipelined requests', () => {
  test('are all answered in order', async () => {
    const none = 'GET /api/none HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const { replies } = await sendRaw(service, [get() + none + get()], { replies: 3 });
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 404, 200],
    );
  });

  test('are answered before garbage after them gets 400 and ends the connection', async () => {
    const { replies, isClosed } = await sendRaw(service, [`${get()}${get()}garbage garbage\r\n\r\n`]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 400],
    );
    for (const reply of replies.slice(2)) assertError(reply, { status: 400 });
    assert.ok(isClosed);
  });

  test('are not read from a body that is longer than its Content-Length', async () => {
    const longer = get('Content-Length: 4') + 'xxxxPOSTED {"name":"smuggled"}\r\n\r\n';
    const { replies, isClosed } = await sendRaw(service, [longer]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 400],
    );
    assert.ok(isClosed);
  });

  test('are not executed after one that is refused', async () => {
    const second = post(`Content-Length: ${body.length}`) + body;
    const refused = post('Content-Length: 5', 'Transfer-Encoding: chunked') + '0\r\n\r\n';
    const { replies } = await sendRaw(service, [refused + second]);
    assert.equal(replies.length, 1);
    await assertUnharmed(service, before);
  });
});

describe('a request that is cut off', () => {
  const halves: Readonly<Record<string, string>> = {
    'in the request line': 'POST /api/gro',
    'in the headers': 'POST /api/groups HTTP/1.1\r\nHost: loc',
    'before the body': post(`Content-Length: ${body.length}`),
    'in the body': post(`Content-Length: ${body.length + 1}`) + body,
    'in a chunk': post('Transfer-Encoding: chunked') + '13\r\n{"name":"smug',
    'before the last chunk': post('Transfer-Encoding: chunked') + `13\r\n${body}\r\n`,
  };
  for (const [name, bytes] of Object.entries(halves)) {
    for (const via of ['http', 'https', 'control'] as const) {
      for (const ending of ['end', 'destroy'] as const) {
        test(`${name} by socket.${ending}() over ${via} leaves no open connection`, async () => {
          const socket = openSocket(service, via);
          socket.on('error', () => undefined).resume();
          const { promise, resolve } = Promise.withResolvers<void>();
          socket.on('close', () => resolve());
          socket.write(bytes, () => socket[ending]());
          await promise;
        });
      }
    }
  }

  test('leaves a service that has stored nothing and still answers', () => assertUnharmed(service, before));
});

describe('bytes that are not HTTP', () => {
  const hello = Buffer.from('160301002e0100002a0303', 'hex');

  test('TLS on the HTTP port is refused with 400, and the connection ends', async () => {
    const { replies, isClosed } = await sendRaw(service, [Buffer.concat([hello, Buffer.alloc(64, 7)])]);
    for (const reply of replies) assertError(reply, { status: 400 });
    assert.ok(isClosed);
  });

  test('HTTP on the HTTPS port ends the connection', async () => {
    const place = { ...service, httpPort: service.httpsPort };
    const { isClosed } = await sendRaw(place, [get()], { waitsForReply: false });
    assert.ok(isClosed);
  });

  test('CONNECT ends the connection, and Upgrade is ignored and gets 200', async () => {
    const connect = 'CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const refused = await sendRaw(service, [connect, 'x'], { waitsForReply: false });
    assert.ok(refused.isClosed);
    assert.deepEqual(refused.replies, []);
    const upgrade = get(
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    );
    const { replies } = await sendRaw(service, [upgrade], { replies: 1 });
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200],
    );
    const h2c = get(
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQAAP__',
    );
    assert.deepEqual(
      (await sendRaw(service, [h2c], { replies: 1 })).replies.map(({ status }) => status),
      [200],
    );
  });

  test('random bytes on 60 connections get 200, a 4xx or no reply', async () => {
    const { random, seed } = seeded();
    const pieces = Array.from({ length: 60 }, (_, index) => {
      const noise = Buffer.from(Array.from({ length: 1 + Math.floor(random() * 400) }, () => random() * 256));
      const starts = [
        '',
        'GET /',
        'POST /api/groups HTTP/1.1\r\n',
        get().slice(0, -2),
        post('Content-Length: 9'),
      ];
      return Buffer.concat([Buffer.from(starts[index % starts.length] ?? ''), noise]);
    });
    for (let at = 0; at < pieces.length; at += 30) {
      const sent = pieces
        .slice(at, at + 30)
        .map((bytes) => sendRaw(service, [bytes], { maxMs: 150, waitsForReply: false }));
      for (const { replies } of await Promise.all(sent)) {
        for (const reply of replies) {
          assert.ok(
            reply.status === 200 || (reply.status >= 400 && reply.status < 500),
            `seed ${seed}: ${show(reply)}`,
          );
        }
      }
    }
  });

  test('200 connections that are closed at once leave a service that answers', async () => {
    const sockets = Array.from({ length: 200 }, () =>
      openSocket(service, 'http').on('error', () => undefined),
    );
    for (const socket of sockets) socket.destroy();
    await until('The service answers again', async () => {
      const reply = await service.call('GET', '/api/health');
      return reply.status === 200 ? true : undefined;
    });
  });

  test('leaves a service that has stored nothing and still answers', () => assertUnharmed(service, before));
});

describe('headers that never end', () => {
  for (const { via, sent, conversation } of neverFinished)
    test(`after ${JSON.stringify(sent)} over ${via} are cut with 408`, async () => {
      const { replies, isClosed } = await conversation;
      assert.ok(isClosed);
      assert.equal(replies.length, 1);
      for (const reply of replies) assertError(reply, { status: 408, key: 'request_timeout' });
    });
});

function many(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `X-${index}: 1`);
}
