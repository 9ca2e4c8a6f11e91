// Abuse of HTTP/2: streams that are reset as fast as they are opened (CVE-2023-44487), more streams than
// allowed, headers that are too large or too many, frames that break the protocol. A stream or the whole
// session may end; the service continues with its data unchanged.

import assert from 'node:assert/strict';
import { constants, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import { after, describe, test } from 'node:test';

import { limits } from '#contract';

import { boot } from './running/boot.ts';
import { openHttp2 } from './running/client.ts';
import { assertUnharmed, stateOf } from './running/state.ts';
import { until, within } from './running/waiting.ts';

const service = await boot();
const before = await stateOf(service);
after(() => service.stop());

const post = { ':method': 'POST', ':path': '/api/groups', ':authority': 'localhost' };
/** Limits of the service for one connection. */
const maxStreams = limits.http2StreamsPerConnection;
const get = { ':method': 'GET', ':path': '/api/health', ':authority': 'localhost' };

/** RFC 9113 section 4.1. */
const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
};
const maxReadMs = 60_000;
const pingText = Buffer.from('are you?');
const ping = frame(6, 0, 0, pingText);
const pingAnswer = frame(6, 1, 0, pingText);
/** The client preface and an empty SETTINGS frame. */
const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(4, 0, 0, Buffer.alloc(0)),
]);

describe('a session', () => {
  test('with 2000 streams that are each reset at once leaves the service unharmed', async () => {
    const session = await openHttp2(service);
    for (let count = 0; count < 2_000 && !session.destroyed && !session.closed; count++) {
      const stream = session.request(post, { endStream: false });
      stream.on('error', () => undefined);
      stream.write('{"name":"reset"');
      stream.close(constants.NGHTTP2_CANCEL);
      if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    session.destroy();
    await assertUnharmed(service, before);
  });

  test('with 300 streams at once gets 200 on each of them', async () => {
    const session = await openHttp2(service);
    // Before the settings of the service have arrived, a client may open more streams than it allows.
    await until('The settings of the service have arrived', () =>
      session.remoteSettings.maxConcurrentStreams === maxStreams ? true : undefined,
    );
    const replies = Array.from({ length: 300 }, () => statusOf(session, get));
    const statuses = await within('All streams end', 60_000, Promise.all(replies));
    session.destroy();
    assert.deepEqual(new Set(statuses), new Set([200]));
  });

  test('that ends in the middle of a body stores nothing', async () => {
    for (let round = 0; round < 20; round++) {
      const session = await openHttp2(service);
      const stream = session.request(post, { endStream: false });
      stream.on('error', () => undefined);
      // Complete as JSON, but without END_STREAM: more could follow.
      stream.write(`{"name":"half ${round}"}`);
      await pinged(session);
      session.destroy();
    }
    await assertUnharmed(service, before);
  });
});

describe('a request over HTTP/2', () => {
  const many = (count: number): OutgoingHttpHeaders =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, '1']));
  /** The status; 0 when the stream is reset. */
  const table: Readonly<Record<string, readonly [status: number, OutgoingHttpHeaders]>> = {
    'a header of 20 kB': [400, { 'x-large': 'x'.repeat(20_000) }],
    'a header of 60 kB': [400, { 'x-large': 'x'.repeat(60_000) }],
    '200 headers': [0, many(200)],
    'a wrong Content-Length': [0, { 'content-length': '5' }],
    'a path without a slash': [0, { ':path': 'nonsense' }],
    'an empty path': [0, { ':path': '' }],
    'an escaped NUL in the path': [405, { ':path': '/api/groups/%00' }],
    'a path of 9 kB': [400, { ':path': `/${'x'.repeat(9_000)}` }],
    'a foreign authority': [421, { ':authority': 'evil.example' }],
    'an unknown method': [405, { ':method': 'BREW' }],
    CONNECT: [405, { ':method': 'CONNECT', ':path': undefined, ':scheme': undefined }],
  };
  for (const [name, [wanted, headers]] of Object.entries(table)) {
    test(`with ${name} is ${wanted === 0 ? 'reset' : `refused with ${wanted}`}`, async () => {
      const session = await openHttp2(service);
      const status = await within(
        'The stream ends',
        30_000,
        statusOf(session, { ...post, ...headers }, '{}'),
      );
      session.destroy();
      assert.equal(status, wanted);
    });
  }

  test('with host and :authority that differ is refused with 400', async () => {
    const session = await openHttp2(service);
    const first = await statusOf(session, { ...get, ':authority': 'localhost', host: 'evil.example' });
    const second = await statusOf(session, { ...get, ':authority': 'evil.example', host: 'localhost' });
    session.destroy();
    // RFC 9113 section 8.3.1: they must not differ.
    assert.deepEqual([first, second], [400, 400]);
  });
});

describe('a body that is complete but has no END_STREAM', () => {
  // POST, https, and two literal fields (RFC 7541 section 6.2.2).
  const headers = Buffer.from('\x83\x87\x04\x0b/api/groups\x01\x09localhost', 'latin1');
  const endings: Readonly<Record<string, Buffer>> = {
    'and is reset': frame(3, 0, 1, Buffer.from([0, 0, 0, 8])),
    'and is reset without an error': frame(3, 0, 1, Buffer.alloc(4)),
    'and is followed by GOAWAY': frame(7, 0, 0, Buffer.alloc(8)),
    'and is followed by the end of the connection': Buffer.alloc(0),
  };
  for (const [name, ending] of Object.entries(endings)) {
    test(`${name} is not stored`, async () => {
      const socket = await openTls();
      const data = frame(0, 0, 1, Buffer.from('{"name":"not ended"}'));
      await untilRead(socket, Buffer.concat([preface, frame(1, 4, 1, headers), data]));
      if (ending.length === 0) await untilEnded(socket);
      else await untilRead(socket, ending);
      socket.destroy();
      await assertUnharmed(service, before);
    });
  }

  test('is stored with END_STREAM, which proves that the bytes above are correct', async () => {
    const socket = await openTls();
    socket.on('error', () => undefined).resume();
    const data = frame(0, 1, 1, Buffer.from('{"name":"ended"}'));
    socket.write(Buffer.concat([preface, frame(1, 4, 1, headers), data]));
    const path = '/api/groups/ended';
    await until('The group is stored', async () =>
      (await service.call('GET', path)).status === 200 ? true : undefined,
    );
    socket.destroy();
    assert.equal((await service.call('DELETE', path)).status, 204);
  });
});

describe('a connection with', () => {
  const repeat = (count: number, bytes: Buffer): Buffer =>
    Buffer.concat(Array.from({ length: count }, () => bytes));
  /** Indexed fields: GET, https, /. */
  const startOfHeaders = Buffer.from([0x82, 0x87, 0x84]);
  const table: Readonly<Record<string, Buffer>> = {
    'no preface': Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    'a frame larger than agreed': frame(0, 0, 1, Buffer.alloc(200_000)),
    'DATA on a stream that is not open': frame(0, 1, 5, Buffer.from('{}')),
    'HEADERS on stream 0': frame(1, 5, 0, startOfHeaders),
    'HEADERS on an even stream': frame(1, 5, 2, startOfHeaders),
    'broken compression': frame(1, 5, 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
    'a header name in upper case': frame(
      1,
      5,
      1,
      Buffer.concat([startOfHeaders, Buffer.from('\0\x03X-A\x011')]),
    ),
    'CONTINUATION without HEADERS': frame(9, 4, 1, startOfHeaders),
    'CONTINUATION frames without an end': Buffer.concat([
      frame(1, 0, 1, startOfHeaders),
      repeat(20_000, frame(9, 0, 1, Buffer.from('\0\x03x-a\x011'))),
    ]),
    'SETTINGS with a wrong length': frame(4, 0, 0, Buffer.alloc(5)),
    'a flood of SETTINGS': repeat(20_000, frame(4, 0, 0, Buffer.alloc(0))),
    'a flood of PING': repeat(20_000, frame(6, 0, 0, Buffer.alloc(8))),
    'a flood of RST_STREAM': repeat(5_000, frame(3, 0, 1, Buffer.from([0, 0, 0, 8]))),
    'a flood of empty DATA': Buffer.concat([
      frame(1, 4, 1, Buffer.concat([Buffer.from([0x83, 0x87]), Buffer.from('\x04\x0b/api/groups')])),
      repeat(20_000, frame(0, 0, 1, Buffer.alloc(0))),
    ]),
    'a window that overflows': repeat(3, frame(8, 0, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff]))),
    'random bytes': Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919) % 251)),
  };
  for (const [name, bytes] of Object.entries(table)) {
    test(`${name} leaves a service that answers`, async () => {
      const socket = await openTls();
      await untilRead(socket, name === 'no preface' ? bytes : Buffer.concat([preface, bytes]));
      socket.destroy();
      assert.equal((await service.call('GET', '/api/health', { via: 'h2' })).status, 200);
    });
  }

  test('any of these stores nothing and kills no thread', () => assertUnharmed(service, before));
});

/** The status of one request; 0 when the stream or the session ended without one. */
function statusOf(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  session.once('close', () => resolve(0));
  try {
    const stream = session.request(Object.fromEntries(given), { endStream: body === undefined });
    let status = 0;
    stream.on('response', (received) => (status = received[':status'] ?? 0)).resume();
    stream.on('error', () => undefined).on('close', () => resolve(status));
    if (body !== undefined) stream.end(body);
  } catch {
    // Node's client refuses to send this.
    resolve(0);
  }
  return promise;
}

/** Waits until the service has read everything sent before: it answers a PING after it. */
async function pinged(session: ClientHttp2Session): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  session.ping(() => resolve());
  await within('The service answers a PING', maxReadMs, promise);
}

/** The same on a raw connection; a service that has closed the connection has read enough. */
async function untilRead(socket: TLSSocket, bytes: Buffer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let got = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    got = Buffer.concat([got, chunk]);
    if (got.includes(pingAnswer)) resolve();
  });
  socket.on('close', () => resolve()).on('error', () => resolve());
  socket.write(Buffer.concat([bytes, ping]));
  await within('The service answers a PING or ends the connection', maxReadMs, promise);
  socket.removeAllListeners('data').resume();
}

async function untilEnded(socket: TLSSocket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on('close', () => resolve()).end();
  await within('The service ends the connection', maxReadMs, promise);
}

async function openTls(): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port: service.httpsPort,
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('secureConnect', resolve).once('error', reject);
  await within('TLS', 30_000, promise);
  socket.off('error', reject);
  return socket;
}
