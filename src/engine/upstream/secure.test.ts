import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createSecureServer, type ServerHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { makeCertificate, type TestCertificate } from '#testing/engine/certificate';
import { turnClock } from '#testing/engine/clock';
import { startScene, startServer } from '#testing/engine/scene';
import { Rcode } from '#wire';
import {
  answer,
  errorOf,
  framed,
  lowerCased,
  patched,
  readFrames,
  readQuery,
  type TestQuery,
} from '#testing/engine/server';

const certificate: TestCertificate = await makeCertificate(['dns.example', '127.0.0.1'], Date.now());
const authorities = [certificate.cert];

const portOf = async (t: TestContext, server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  // A server that listens on a port has an address of this kind.
  return (server.address() as AddressInfo).port;
};

interface TlsScene {
  readonly port: number;
  readonly queries: TestQuery[];
  readonly sockets: TLSSocket[];
}

const startTls = async (t: TestContext, keep = certificate): Promise<TlsScene> => {
  const queries: TestQuery[] = [];
  const sockets: TLSSocket[] = [];
  const server = createTlsServer({ ...keep, ALPNProtocols: ['dot'] }, (socket) => {
    sockets.push(socket);
    readFrames(socket, (bytes) => {
      const query = readQuery(bytes, 'tls', 0);
      queries.push(query);
      socket.write(framed(lowerCased(answer(query))));
    });
  });
  server.on('tlsClientError', () => undefined);
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { port: await portOf(t, server), queries, sockets };
};

for (const form of ['tls://127.0.0.1:PORT', 'tls://127.0.0.1:PORT?name=dns.example']) {
  test(`${form}: questions share one persistent connection`, async (t) => {
    const server = await startTls(t);
    const scene = startScene(t, { upstreams: [form.replace('PORT', String(server.port))], authorities });
    const all = await Promise.all(Array.from({ length: 20 }, (_, at) => scene.query(`n${at}.example`)));
    assert.ok(all.every(({ failure, reply }) => failure === '' && reply.at(-1) === 1));
    assert.equal(server.sockets.length, 1);
    assert.equal(server.sockets[0]?.alpnProtocol, 'dot');
    assert.equal(server.sockets[0]?.servername, form.includes('name') ? 'dns.example' : false);
  });
}

test('a connection that the server closes is opened again with the TLS session of the old one', async (t) => {
  const server = await startTls(t);
  const scene = startScene(t, { upstreams: [`tls://127.0.0.1:${server.port}`], authorities });
  await scene.query('a.example');
  server.sockets[0]?.destroy();
  assert.equal((await scene.query('b.example')).failure, '');
  assert.equal(server.sockets.length, 2);
  assert.equal(server.sockets[1]?.isSessionReused(), true);
});

test('a slow handshake does not cause a query to another upstream', async (t) => {
  const server = await startTls(t);
  const other = await startServer(t, (query) => [answer(query)]);
  const slowDoor = createServer((socket) => {
    turnClock.after(250, () => socket.pipe(connect(server.port, '127.0.0.1')).pipe(socket));
    socket.on('error', () => undefined);
  });
  const text = `tls://127.0.0.1:${await portOf(t, slowDoor)}`;
  const scene = startScene(t, { upstreams: [text, other.text], mode: 'strict', authorities });
  assert.equal((await scene.query('a.example')).upstream, text);
  assert.equal(other.clientQueries.length, 0);
});

const refused: Record<string, { readonly query: string; readonly trust: boolean }> = {
  'a certificate of an untrusted authority': { query: '', trust: false },
  'a certificate made out to another name': { query: '?name=other.example', trust: true },
};

for (const [what, { query, trust }] of Object.entries(refused)) {
  test(`${what} is refused, over TLS and HTTPS`, async (t) => {
    const server = await startTls(t);
    const https = await startHttps(t);
    const upstreams = [`tls://127.0.0.1:${server.port}${query}`, `https://127.0.0.1:${https.port}/q${query}`];
    for (const upstream of upstreams) {
      const scene = startScene(t, { upstreams: [upstream], authorities: trust ? authorities : [] });
      assert.equal((await scene.query('www.example')).failure, 'unreachable', upstream);
    }
    assert.deepEqual([server.queries.length, https.queries.length], [0, 0], 'no query was sent to it');
  });
}

interface HttpsScene {
  readonly port: number;
  readonly queries: TestQuery[];
  readonly headers: IncomingHttpHeaders[];
  sessions: number;
  behave: (stream: ServerHttp2Stream, query: TestQuery) => boolean;
}

const startHttps = async (t: TestContext): Promise<HttpsScene> => {
  const server = createSecureServer({ ...certificate, settings: { maxConcurrentStreams: 100 } });
  const scene: HttpsScene = { port: 0, queries: [], headers: [], sessions: 0, behave: () => false };
  server.on('session', (session) => {
    scene.sessions += 1;
    t.after(() => session.destroy());
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const query = readQuery(Buffer.concat(chunks), 'https', 0);
      scene.queries.push(query);
      scene.headers.push(headers);
      if (scene.behave(stream, query)) return;
      stream.respond({ ':status': 200, 'content-type': 'application/dns-message' });
      stream.end(answer(query));
    });
  });
  return Object.assign(scene, { port: await portOf(t, server) });
};

test('https: each question is a POST on one HTTP/2 session, with id 0', async (t) => {
  const server = await startHttps(t);
  const upstream = `https://127.0.0.1:${server.port}/dns-query?name=dns.example`;
  const scene = startScene(t, { upstreams: [upstream], authorities });
  const all = await Promise.all(Array.from({ length: 20 }, (_, at) => scene.query(`n${at}.example`)));
  assert.ok(all.every(({ failure, reply }) => failure === '' && reply.at(-1) === 1));
  assert.equal(server.sessions, 1);
  assert.ok(server.queries.every(({ bytes }) => bytes[0] === 0 && bytes[1] === 0));
  const [headers] = server.headers;
  assert.deepEqual(
    [headers?.[':method'], headers?.[':path'], headers?.['content-type'], headers?.[':authority']],
    ['POST', '/dns-query', 'application/dns-message', `dns.example:${server.port}`],
  );
});

const httpFaults: Record<string, (stream: ServerHttp2Stream, query: TestQuery) => void> = {
  'a status of 500': (stream, query) => respond(stream, 500, 'application/dns-message', answer(query)),
  'another media type': (stream, query) => respond(stream, 200, 'text/html', answer(query)),
  'an empty body': (stream) => respond(stream, 200, 'application/dns-message', new Uint8Array(0)),
  'a body beyond what a message can be': (stream, query) =>
    respond(stream, 200, 'application/dns-message', padded(answer(query), 65_536)),
  'the answer to another question': (stream, query) =>
    respond(
      stream,
      200,
      'application/dns-message',
      answer({ ...query, bytes: query.bytes.map((b, at) => (at === 13 ? 0x78 : b)) }),
    ),
  'a stream that is reset': (stream) => stream.close(2),
};

const padded = (message: Uint8Array, length: number): Uint8Array => {
  const whole = new Uint8Array(length);
  whole.set(message);
  return whole;
};

/** An answer whose one record, of a type that is not known, fills the message. */
function filled(query: TestQuery, length: number): Uint8Array {
  const head = patched(errorOf(query, Rcode.noError), { 7: 1 });
  const recordBytes = 12;
  const size = length - head.length - recordBytes;
  const record = [0xc0, 12, 0xff, 0, 0, 1, 0, 0, 0, 60, size >> 8, size & 0xff];
  return padded(Uint8Array.from([...head, ...record]), length);
}

test('https: a message of 65,535 bytes is accepted', async (t) => {
  const server = await startHttps(t);
  server.behave = (stream, query) => {
    respond(stream, 200, 'application/dns-message', filled(query, 65_535));
    return true;
  };
  const scene = startScene(t, { upstreams: [`https://127.0.0.1:${server.port}/`], authorities });
  assert.equal((await scene.query('www.example')).reply.length, 65_535);
});

test('https: questions above the stream limit of the server wait for their turn', async (t) => {
  const server = await startHttps(t);
  const scene = startScene(t, { upstreams: [`https://127.0.0.1:${server.port}/`], authorities });
  const all = await Promise.all(Array.from({ length: 600 }, (_, at) => scene.query(`n${at}.example`)));
  assert.ok(all.every(({ failure }) => failure === ''));
  assert.equal(server.sessions, 1);
});

const respond = (stream: ServerHttp2Stream, status: number, type: string, body: Uint8Array): void => {
  stream.respond({ ':status': status, 'content-type': type });
  stream.end(body);
};

for (const [what, fault] of Object.entries(httpFaults)) {
  test(`https: after ${what} the next upstream is queried`, async (t) => {
    const server = await startHttps(t);
    server.behave = (stream, query) => {
      fault(stream, query);
      return true;
    };
    const other = await startServer(t, (query) => [answer(query, '192.0.2.2')]);
    const upstream = `https://127.0.0.1:${server.port}/`;
    const scene = startScene(t, { upstreams: [upstream, other.text], mode: 'strict', authorities });
    const asked = await scene.query('www.example');
    assert.deepEqual([asked.upstream, asked.reply.at(-1)], [other.text, 2]);
    assert.ok(asked.tookMs < 390, 'without waiting for a delay');
  });
}

test('https: a session that ends is opened again', async (t) => {
  const server = await startHttps(t);
  const upstream = `https://127.0.0.1:${server.port}/`;
  const scene = startScene(t, { upstreams: [upstream], authorities });
  await scene.query('a.example');
  let isFirst = true;
  server.behave = (stream) => {
    if (!isFirst) return false;
    isFirst = false;
    stream.session?.destroy();
    return true;
  };
  assert.equal((await scene.query('b.example')).failure, '');
  assert.equal(server.sessions, 2);
});

test('an encrypted upstream that stalls causes one hedge delay', async (t) => {
  const server = await startHttps(t);
  const other = await startServer(t, (query) => [answer(query, '192.0.2.2')]);
  const upstreams = [`https://127.0.0.1:${server.port}/`, other.text];
  const scene = startScene(t, { upstreams, mode: 'strict', authorities });
  await scene.query('a.example');
  server.behave = () => true;
  const first = await scene.query('b.example');
  assert.ok(first.upstream === other.text && first.tookMs < 1000, String(first.tookMs));
  const before = server.queries.length;
  assert.equal((await scene.query('c.example')).upstream, other.text);
  assert.equal(server.queries.length, before, 'and then nothing');
});
