// Clients that never finish their headers, their body or their handshake. The service closes each connection
// at its time limit (10 s for headers and handshakes, 30 s for a whole request), with a 408 where HTTP allows
// one. The cases run concurrently and in real time, together a little over 30 s; other clients are served
// meanwhile. bad-framing.test.ts has the headers alone.

import assert from 'node:assert/strict';
import { connect as connectPlain, type Socket } from 'node:net';
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

/** Far more than the 30 s limit of a request. */
const giveUpMs = 120_000;

const head = 'POST /api/groups HTTP/1.1\r\nHost: localhost\r\n';
const waiting = `${head}Content-Length: 20\r\n\r\n`;

describe('the service closes the connection of', { concurrency: true }, () => {
  type Row = readonly [name: string, sent: string, dripped: string];
  const table: readonly Row[] = [
    ['a client that sends nothing', '', ''],
    ['a request line that stops', 'GET /api/hea', ''],
    ['headers that stop', head, ''],
    ['headers that drip', head, 'X-Slow: yes\r\n'],
    ['a header that drips letter by letter', `${head}X-Slow: `, 'x'],
    ['a body that never comes', waiting, ''],
    ['a body that stops', `${waiting}{"name":`, ''],
    ['a body that drips', `${head}Content-Length: 5000\r\n\r\n`, 'x'],
    ['chunks that stop', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nab`, ''],
    ['chunks that drip', `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'],
  ];
  for (const via of ['http', 'https', 'control'] as const) {
    for (const [name, sent, dripped] of table) {
      test(`${name}, over ${via}`, async () => {
        const socket = openSocket(service, via);
        const text = await untilCut(socket, sent, dripped);
        if (sent !== '') assertTimeout(text);
      });
    }
  }

  test('a TLS handshake that never begins', async () => {
    await untilCut(connectPlain(service.httpsPort, '127.0.0.1'), '', '');
  });

  test('a TLS handshake that stops', async () => {
    const hello = Buffer.from('1603010200010001fc0303', 'hex').toString('latin1');
    await untilCut(connectPlain(service.httpsPort, '127.0.0.1'), hello, '');
  });

  test('a client that is idle after a reply', async () => {
    const get = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const { replies, isClosed } = await sendRaw(service, [get], { maxMs: giveUpMs });
    assert.ok(isClosed);
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
    const found = await withinGiveUp(promise);
    session.destroy();
    assert.equal(found, 408);
  });

  test('an idle HTTP/2 session', async () => {
    const session = await openHttp2(service);
    const { promise, resolve } = Promise.withResolvers<void>();
    session.on('close', () => resolve());
    await withinGiveUp(promise);
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
    await untilCut(socket, sent, '');
  });

  test('slow clients while other clients get their replies', async () => {
    for (let count = 0; count < 100; count++) {
      for (const via of ['http', 'https', 'control'] as const) {
        assert.equal((await service.call('GET', '/api/groups', { via })).status, 200);
      }
      await sleep(250);
    }
  });
});

test('clients that never finish store nothing and kill no thread', () => assertUnharmed(service, before));

/** Sends a text, then a piece each second until the service closes the connection; returns the reply. */
async function untilCut(socket: Socket, sent: string, dripped: string): Promise<string> {
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
  return Buffer.concat(chunks).toString('latin1');
}

function assertTimeout(text: string): void {
  const [top = '', body = ''] = text.split('\r\n\r\n');
  assert.match(top, /^HTTP\/1\.1 408 /, `The reply is ${JSON.stringify(text)}.`);
  const parsed: unknown = JSON.parse(body);
  const headers = { 'content-type': /content-type: ([^\r]*)/i.exec(top)?.[1] };
  const reply = { status: 408, headers, text: body, bytes: Buffer.from(body), body: parsed };
  assertError(reply, { status: 408, key: 'request_timeout' });
  assert.match(top, /connection: close/i, show(reply));
}

function withinGiveUp<T>(promise: Promise<T>): Promise<T> {
  return within('The connection is closed', giveUpMs, promise);
}
