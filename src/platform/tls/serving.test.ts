// The certificates on real servers: TLS with names and addresses, HTTP/2, a swap while a connection is open,
// and what a start loads when no certificate must be issued.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import * as http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { connect, createServer, type Server } from 'node:tls';
import { promisify } from 'node:util';
import { dayMs, type TlsMaterial } from './material.ts';
import { handshake, scene, userPair } from '#testing/tls/scene';

async function listen(t: TestContext, server: Server | http2.Http2SecureServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  // A TCP server that listens has an address with a port.
  return (server.address() as AddressInfo).port;
}

async function serve(t: TestContext, { key, cert }: TlsMaterial) {
  const server = createServer({ key, cert }, (socket) => socket.on('error', () => undefined).pipe(socket));
  return { server, port: await listen(t, server) };
}

const peers: [string, object][] = [
  ['localhost', { servername: 'localhost' }],
  ['the host name', { servername: 'box' }],
  ['the mDNS name', { servername: 'box.local' }],
  ['sluice.internal', { servername: 'sluice.internal' }],
  ['127.0.0.1', { host: '127.0.0.1' }],
];

for (const [title, peer] of peers) {
  test(`a client that trusts the authority accepts the server as ${title}`, async (t) => {
    const { current } = await (await scene(t, Date.now())).open();
    const { port } = await serve(t, current);
    const seen = await handshake({ port, ca: current.caCert, ...peer });
    assert.ok(seen.authorized);
    assert.equal(seen.fingerprint256, current.fingerprint256);
  });
}

test('a client refuses a name that is not in the certificate, and an unknown authority', async (t) => {
  const { current } = await (await scene(t, Date.now())).open();
  const { port } = await serve(t, current);
  const wrongName = handshake({ port, ca: current.caCert, servername: 'bank.example' });
  await assert.rejects(wrongName, { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  const stranger = (await userPair('x.example', Date.now())).ca;
  await assert.rejects(handshake({ port, ca: stranger, servername: 'localhost' }), {
    code: /SIGNED|ISSUER|LEAF/,
  });
});

test('HTTP/2 works with the certificate', async (t) => {
  const { current } = await (await scene(t, Date.now())).open();
  const server = http2.createSecureServer({ key: current.key, cert: current.cert, allowHTTP1: true });
  server.on('stream', (stream: http2.ServerHttp2Stream) =>
    stream.respond({ ':status': 204 }, { endStream: true }),
  );
  const port = await listen(t, server);
  const session = http2.connect(`https://localhost:${port}`, { ca: current.caCert });
  t.after(() => session.close());
  const [headers] = await once(session.request({ ':path': '/' }), 'response');
  assert.equal(headers[':status'], 204);
  assert.equal(session.alpnProtocol, 'h2');
});

test('a renewal applies to new connections, keeps open ones, and is trusted as before', async (t) => {
  const { open, clock } = await scene(t, Date.now() - 62 * dayMs);
  const certificates = await open();
  const imported = certificates.current.caCert;
  const { server, port } = await serve(t, certificates.current);
  certificates.watch(3_600_000, ({ key, cert }) => server.setSecureContext({ key, cert }));
  const before = await handshake({ port, ca: imported, servername: 'box' });
  const opened = connect({ port, host: '127.0.0.1', ca: imported, servername: 'box' });
  await once(opened, 'secureConnect');
  clock.nowMs = Date.now();
  await certificates.check();
  const after = await handshake({ port, ca: imported, servername: 'box' });
  assert.notEqual(after.fingerprint256, before.fingerprint256);
  assert.equal(after.fingerprint256, certificates.current.fingerprint256);
  opened.end('still here');
  assert.equal(String((await once(opened, 'data'))[0]), 'still here');
});

test('a server with a renewed authority is trusted by the old import and by the new one', async (t) => {
  const { open, clock } = await scene(t, Date.now() - (3650 - 300) * dayMs);
  const imported = (await open()).current.caCert;
  clock.nowMs = Date.now();
  const { current } = await open();
  assert.notEqual(current.caCert, imported);
  const { port } = await serve(t, current);
  for (const ca of [imported, current.caCert]) {
    assert.ok((await handshake({ port, ca, servername: 'box' })).authorized);
  }
});

test('a swap to a configured certificate is served', async (t) => {
  const { open, place, certFile, keyFile } = await scene(t, Date.now());
  const [first, second] = [await userPair('a.example', Date.now()), await userPair('b.example', Date.now())];
  await place(first);
  const certificates = await open({ certFile, keyFile });
  const { server, port } = await serve(t, certificates.current);
  const swapped = Promise.withResolvers<void>();
  certificates.watch(5, ({ key, cert }) => {
    server.setSecureContext({ key, cert });
    swapped.resolve();
  });
  assert.ok((await handshake({ port, ca: first.ca, servername: 'a.example' })).authorized);
  await place(second);
  await swapped.promise;
  assert.ok((await handshake({ port, ca: second.ca, servername: 'b.example' })).authorized);
});

test('a start that issues no certificate loads no X.509 library', async (t) => {
  const { open, options } = await scene(t, Date.now());
  await open();
  const { folder, hostname, hosts } = options;
  const fixed = { folder, hostname, hosts, certFile: '', keyFile: '' };
  const script = `
    const { Certificates } = await import(${JSON.stringify(import.meta.resolve('./certificates.ts'))});
    const live = { addresses: () => ['192.0.2.7'], nowMs: Date.now, report: console.log };
    const opened = await Certificates.open({ ...${JSON.stringify(fixed)}, ...live });
    console.log(opened.ok && opened.value.current.source, typeof Reflect.getMetadata);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  assert.equal(stdout, 'own undefined\n');
});
