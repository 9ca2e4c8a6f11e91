// What the exchange adds to the outcome of a handler, over real connections: the base path in Location, 304,
// compression, cookies, and the errors of a database.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as send, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { endpoints, limits, type Endpoint } from '#contract';
import { createApp } from './app.ts';
import { createGate } from './gate.ts';

const web = { http: '', https: '', redirect: false, certFile: '', keyFile: '' };
const lists = { trustedProxies: [], hosts: [], origins: ['https://page.example'] };
const gate = createGate({
  web: { ...web, ...lists, basePath: '/sluice' },
  ownNames: [],
  ownDomains: [],
  phase: () => 'open',
  httpsPort: () => undefined,
});
const large = 'x'.repeat(limits.minCompressedLength);
const reported: unknown[] = [];
let isControlSocket = false;

function refusedByDatabase(): never {
  const database = new DatabaseSync(':memory:');
  database.exec('create table t (x check (x = 1)); insert into t values (1)');
  database.exec('insert into t values (2)');
  assert.fail('The database accepted it.');
}

const table: Readonly<Record<string, Endpoint>> = {
  getGroups: endpoints.getGroups,
  getGroup: endpoints.getGroup,
  createGroups: endpoints.createGroups,
  deleteGroup: endpoints.deleteGroup,
  logout: endpoints.logout,
};
const app = await createApp({
  table,
  handlers: {
    getGroups: () => ({ status: 200, body: { groups: large } }),
    getGroup: () => ({ status: 200, body: { groups: [] }, headers: { etag: '"tag"' } }),
    createGroups: () => ({ status: 201, body: {}, headers: { location: '/api/groups/a' } }),
    deleteGroup: async () => refusedByDatabase(),
    logout: () => ({ status: 410, cookies: ['a=1', 'b=2'] }),
  },
  gate: () => gate,
  authenticator: { identify: () => ({ kind: 'anyone' }), touch: () => undefined },
  isControlSocket: () => isControlSocket,
  nowMs: () => 0,
  reportBug: (error) => String(reported.push(error)),
});
const server = createServer(app.handle);
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => {
  server.closeAllConnections();
  server.close();
});

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

async function call(method: string, path: string, headers: Record<string, string> = {}): Promise<Reply> {
  // A server that listens on an address has a port.
  const { port } = server.address() as AddressInfo;
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const request = send({ port, method, path, headers, agent: false }, (reply) => {
    const parts: Buffer[] = [];
    reply.on('data', (part: Buffer) => parts.push(part));
    reply.on('end', () =>
      resolve({ status: reply.statusCode ?? 0, headers: reply.headers, bytes: Buffer.concat(parts) }),
    );
  });
  request.on('error', reject);
  request.end(method === 'POST' ? '{"name":"a"}' : undefined);
  return promise;
}

describe('a reply', () => {
  it('has the base path in Location', async () => {
    const { status, headers } = await call('POST', '/sluice/api/groups');
    assert.deepEqual([status, headers.location], [201, '/sluice/api/groups/a']);
  });

  it('is 304 without a body if If-None-Match has its tag', async () => {
    const same = await call('GET', '/api/groups/a', { 'if-none-match': '"old", "tag"' });
    assert.deepEqual([same.status, same.headers.etag, same.bytes.length], [304, '"tag"', 0]);
    assert.equal(same.headers['content-length'], undefined);
    const other = await call('GET', '/api/groups/a', { 'if-none-match': '"old"' });
    assert.equal(other.status, 200);
  });

  it('is compressed if it is large and the client accepts that', async () => {
    const { headers, bytes } = await call('GET', '/api/groups', { 'accept-encoding': 'gzip, zstd' });
    assert.equal(headers['content-encoding'], 'zstd');
    assert.equal(headers.vary, 'Accept-Encoding');
    assert.equal(headers['content-length'], String(bytes.length));
    assert.deepEqual(JSON.parse(zstdDecompressSync(bytes).toString()), { groups: large, took: 0 });
  });

  const plain: readonly (readonly [name: string, path: string, accepted: string | undefined])[] = [
    ['the client accepts no coding', '/api/groups', undefined],
    ['the client refuses them', '/api/groups', 'identity, gzip;q=0'],
    ['it is small', '/api/groups/a', 'gzip, br, zstd'],
  ];
  for (const [name, path, accepted] of plain) {
    it(`is not compressed if ${name}`, async () => {
      const { headers, bytes } = await call(
        'GET',
        path,
        accepted === undefined ? {} : { 'accept-encoding': accepted },
      );
      assert.equal(headers['content-encoding'], undefined);
      assert.equal(typeof JSON.parse(bytes.toString()), 'object');
    });
  }

  it('is not compressed for the control socket, which has no network to save', async () => {
    isControlSocket = true;
    const { headers } = await call('GET', '/api/groups', { 'accept-encoding': 'gzip' });
    isControlSocket = false;
    assert.equal(headers['content-encoding'], undefined);
  });

  it('for a page of another origin varies by both headers', async () => {
    const sent = { 'accept-encoding': 'gzip', origin: 'https://page.example' };
    assert.equal((await call('GET', '/api/groups', sent)).headers.vary, 'Accept-Encoding, Origin');
    assert.equal((await call('GET', '/api/groups/a', sent)).headers.vary, 'Origin');
  });

  it('sets several cookies, each in its own header', async () => {
    assert.deepEqual((await call('DELETE', '/api/auth')).headers['set-cookie'], ['a=1', 'b=2']);
  });

  it('is a database_error with its reason if the database refuses a statement', async () => {
    const { status, bytes } = await call('DELETE', '/api/groups/a');
    const { error } = JSON.parse(bytes.toString());
    assert.deepEqual(
      [status, error.key, error.message],
      [500, 'database_error', 'Could not access the database'],
    );
    assert.match(error.hint, /^CHECK constraint failed: x = 1\. Look for 1 in the log/);
    assert.equal(reported.length, 1);
  });

  for (const path of ['/api/groups?a=%ff', '/api/groups?%', '/api/none?a=%zz', '/api/groups/a?x=%00']) {
    it(`to GET ${path} is 400`, async () => {
      const { status, bytes } = await call('GET', path);
      assert.equal(status, 400);
      assert.equal(JSON.parse(bytes.toString()).error.message, 'Invalid URL');
    });
  }
});
