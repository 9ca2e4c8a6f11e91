// Clients that never finish: their headers, their body, or their handshake. Each is cut when its time is over
// (10 s for headers and handshakes, 30 s for a whole request), with a 408 where HTTP allows one. The cases
// wait for real time, so they run at once and together take little over 30 s; meanwhile everybody else must
// be served as if nothing was.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { connect as connectPlain } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { boot } from './running/boot.ts';
import { openHttp2 } from './running/client.ts';
import { openSocket, sendRaw } from './running/raw.ts';
import { assertError, describe as show } from './running/reply.ts';
import { assertUnharmed, stateOf } from './running/state.ts';
import { within } from './running/waiting.ts';

const service = await boot();
const before = await stateOf(service);
after(() => service.stop());

const headersMaxMs = 10_000;
const requestMaxMs = 30_000;
/** Connections are looked at once a second, and the machine may be busy. */
const slackMs = 8_000;
const giveUpMs = requestMaxMs + 2 * slackMs;

const head = 'POST /api/groups HTTP/1.1\r\nHost: localhost\r\n';
const waiting = `${head}Content-Length: 20\r\n\r\n`;

describe('clients that never finish are cut', { concurrency: true }, () => {
  type Row = readonly [name: string, sent: string, dripped: string, limitMs: number];
  const table: readonly Row[] = [
    ['nothing at all', '', '', requestMaxMs],
    ['a request line that stops', 'GET /api/hea', '', headersMaxMs],
    ['headers that stop', head, '', headersMaxMs],
    ['headers that drip', head, 'X-Slow: yes\r\n', headersMaxMs],
    ['a header that drips letter by letter', `${head}X-Slow: `, 'x', headersMaxMs],
    ['a body that never comes', waiting, '', requestMaxMs],
    ['a body that stops', `${waiting}{"name":`, '', requestMaxMs],
    ['a body that drips', `${head}Content-Length: 5000\r\n\r\n`, 'x', requestMaxMs],
    ['chunks that stop', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nab`, '', requestMaxMs],
    ['chunks that drip', `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n', requestMaxMs],
  ];
  for (const via of ['http', 'https', 'control'] as const) {
    for (const [name, sent, dripped, limitMs] of table) {
      test(`${name}, over ${via}`, async () => {
        const socket = openSocket(service, via);
        const { text, elapsedMs } = await untilCut(socket, sent, dripped);
        assert.ok(elapsedMs < limitMs + slackMs, `It was cut after ${Math.round(elapsedMs)} ms.`);
        if (sent !== '') assertTimeout(text);
      });
    }
  }

  test('a TLS handshake that never begins', async () => {
    const { elapsedMs } = await untilCut(connectPlain(service.httpsPort, '127.0.0.1'), '', '');
    assert.ok(elapsedMs < headersMaxMs + slackMs, `It was cut after ${Math.round(elapsedMs)} ms.`);
  });

  test('a TLS handshake that stops', async () => {
    const hello = Buffer.from('1603010200010001fc0303', 'hex').toString('latin1');
    const { elapsedMs } = await untilCut(connectPlain(service.httpsPort, '127.0.0.1'), hello, '');
    assert.ok(elapsedMs < headersMaxMs + slackMs, `It was cut after ${Math.round(elapsedMs)} ms.`);
  });

  test('a connection that lies idle after a reply', async () => {
    const get = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const { replies, isClosed, elapsedMs } = await sendRaw(service, [get], { maxMs: giveUpMs });
    assert.ok(isClosed && elapsedMs < 5_000 + slackMs, `${isClosed} after ${Math.round(elapsedMs)} ms`);
    assert.equal(replies.length, 1);
  });

  test('an HTTP/2 body that never comes', async () => {
    const session = await openHttp2(service);
    const stream = session.request({ ':method': 'POST', ':path': '/api/groups', ':authority': 'localhost' });
    const { promise, resolve } = Promise.withResolvers<number>();
    let status = 0;
    stream.on('response', (headers) => (status = headers[':status'] ?? 0)).resume();
    for (const event of ['end', 'close']) stream.on(event, () => resolve(status));
    stream.on('error', () => undefined);
    stream.write('{"name":');
    const startedMs = performance.now();
    const found = await withinGiveUp(promise);
    session.destroy();
    assert.ok(performance.now() - startedMs < requestMaxMs + slackMs);
    assert.ok([0, 408].includes(found), `status ${found}`);
  });

  test('an HTTP/2 session that lies idle', async () => {
    const session = await openHttp2(service);
    const { promise, resolve } = Promise.withResolvers<void>();
    session.on('close', () => resolve());
    const startedMs = performance.now();
    await withinGiveUp(promise);
    assert.ok(performance.now() - startedMs < requestMaxMs + slackMs);
  });

  test('HTTP/2 headers that stop', async () => {
    const socket = connectSecure({
      host: '127.0.0.1',
      port: service.httpsPort,
      rejectUnauthorized: false,
      ALPNProtocols: ['h2'],
    });
    // The preface, an empty SETTINGS, and HEADERS without END_HEADERS (RFC 9113 sections 3.4, 6.2 and 6.5).
    const settings = '\0\0\0\x04\0\0\0\0\0';
    const headers = '\0\0\x01\x01\0\0\0\0\x01\x82';
    const sent = `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${settings}${headers}`;
    const { elapsedMs } = await untilCut(socket, sent, '');
    assert.ok(elapsedMs < requestMaxMs + slackMs, `It was cut after ${Math.round(elapsedMs)} ms.`);
  });

  test('everybody else is served all the while', async () => {
    const endMs = performance.now() + requestMaxMs;
    let slowestMs = 0;
    while (performance.now() < endMs) {
      const startedMs = performance.now();
      for (const via of ['http', 'https', 'control'] as const) {
        assert.equal((await service.call('GET', '/api/groups', { via })).status, 200);
      }
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
      await sleep(250);
    }
    assert.ok(slowestMs < headersMaxMs, `The slowest three replies took ${Math.round(slowestMs)} ms.`);
  });
});

test('nothing was stored, nothing has died', () => assertUnharmed(service, before));

type Cut = { readonly text: string; readonly elapsedMs: number };

/** Sends, then goes on with a drop each second, until the other side ends the connection. */
async function untilCut(socket: Socket, sent: string, dripped: string): Promise<Cut> {
  const startedMs = performance.now();
  const chunks: Buffer[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket
    .on('error', () => resolve())
    .on('end', () => resolve())
    .on('close', () => resolve());
  socket.write(Buffer.from(sent, 'latin1'));
  const drip = setInterval(() => dripped !== '' && socket.write(dripped), 1_000);
  try {
    await withinGiveUp(promise);
  } finally {
    clearInterval(drip);
    socket.destroy();
  }
  return { text: Buffer.concat(chunks).toString('latin1'), elapsedMs: performance.now() - startedMs };
}

function assertTimeout(text: string): void {
  const [top = '', body = ''] = text.split('\r\n\r\n');
  assert.match(top, /^HTTP\/1\.1 408 /, `The reply is ${JSON.stringify(text)}.`);
  const parsed: unknown = JSON.parse(body);
  const headers = { 'content-type': /content-type: ([^\r]*)/i.exec(top)?.[1] };
  const reply = { status: 408, headers, text: body, body: parsed };
  assertError(reply, { status: 408, key: 'request_timeout' });
  assert.match(top, /connection: close/i, show(reply));
}

function withinGiveUp<T>(promise: Promise<T>): Promise<T> {
  return within('The client is cut', giveUpMs, promise);
}
