// The limits of connections, tested with real ones: over several servers, for one client, for a trusted
// proxy.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { until } from '../../../test/running/waiting.ts';

import { clientOf, ConnectionLimiter, type ConnectionLimiterOptions } from './connection-limiter.ts';
import { Connections, createHttpServer, createHttpsServer } from './servers.ts';

const clients: readonly (readonly [address: string, client: string])[] = [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['2001:db8::', '2001:db8:0:0'],
];
for (const [address, client] of clients)
  test(`${address} counts as the client ${client}`, () => assert.equal(clientOf(address), client));

async function start(t: TestContext, options: Partial<ConnectionLimiterOptions>) {
  const problems: string[] = [];
  const limiter = new ConnectionLimiter({
    connections: 100,
    perClient: 100,
    isTrustedProxy: () => false,
    onRefused: (problem) => problems.push(problem),
    ...options,
  });
  const plain = createHttpServer((_request, response) => response.end('here'), limiter.admit);
  const secure = createHttpsServer(() => undefined, { key: '', cert: '' }, limiter.admit);
  const connections = new Connections();
  for (const server of [plain, secure]) {
    connections.track(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  }
  t.after(() => {
    connections.end();
    plain.close();
    secure.close();
  });
  // Both listen on TCP.
  const [http, https] = [plain, secure].map((server) => (server.address() as AddressInfo).port);
  return { problems, http: http ?? 0, https: https ?? 0 };
}

const requestText = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** Whether the connection is served; a refused connection is closed without a reply. */
async function isServed(socket: Socket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.on('data', () => resolve(true)).on('error', () => resolve(false));
  socket.on('close', () => resolve(false)).write(requestText);
  return promise;
}

function open(t: TestContext, port: number, localAddress = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  t.after(() => socket.destroy());
  return socket;
}

describe('connections', () => {
  test('of one client are limited, and closing one allows another', async (t) => {
    const { http, problems } = await start(t, { perClient: 2 });
    const first = open(t, http);
    assert.deepEqual([await isServed(first), await isServed(open(t, http))], [true, true]);
    assert.equal(await isServed(open(t, http)), false);
    assert.match(problems.join(), /^127\.0\.0\.1 has 2 open.*web\.trustedProxies/);
    assert.equal(await isServed(open(t, http, '127.0.0.2')), true);
    first.destroy();
    await until('a new connection is served', async () => (await isServed(open(t, http))) || undefined);
  });

  test('of a trusted proxy are limited only by the total', async (t) => {
    const isTrustedProxy = (address: string): boolean => address === '127.0.0.1';
    const { http, problems } = await start(t, { perClient: 1, connections: 3, isTrustedProxy });
    for (let count = 0; count < 3; count++) assert.equal(await isServed(open(t, http)), true);
    assert.equal(await isServed(open(t, http)), false);
    assert.match(problems.join(), /^all 3 are taken/);
  });

  test('are counted over HTTP and HTTPS together', async (t) => {
    const { http, https, problems } = await start(t, { connections: 1 });
    const silent = open(t, https);
    await once(silent, 'connect');
    await until('a connection is refused', async () => {
      await isServed(open(t, http));
      return problems.length > 0 || undefined;
    });
    const refused = open(t, https);
    await once(refused, 'close');
    assert.equal(problems.length, 2);
    assert.equal(silent.destroyed, false);
  });
});
