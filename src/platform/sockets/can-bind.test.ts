// The probe for free ports against sockets that really use them, for UDP and TCP.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import test from 'node:test';
import { canBind } from './can-bind.ts';
import { loadLibc } from './libc.ts';
import type { ListenAddress } from '#contract';

const libc = loadLibc();
const skip = libc === undefined;

function loopback(port: number): ListenAddress {
  return { family: 'ipv4', host: '127.0.0.1', zone: '', port };
}

test('finds one free port for both kinds and releases it', { skip }, () => {
  assert.ok(libc);
  const found = canBind(libc, loopback(0), ['tcp', 'udp']);
  assert.ok(found.ok && found.port > 0);
  assert.deepEqual(canBind(libc, loopback(found.port), ['udp', 'tcp']), found);
  assert.equal(canBind(libc, { ...loopback(0), family: 'both', host: '*' }, ['tcp', 'udp']).ok, true);
});

test('reports a TCP port that is in use', { skip }, async (context) => {
  assert.ok(libc);
  const server = createServer().listen(0, '127.0.0.1');
  context.after(() => server.close());
  await once(server, 'listening');
  const bound = server.address();
  assert.ok(bound !== null && typeof bound !== 'string');
  const taken = { ok: false, kind: 'tcp', code: 'EADDRINUSE' };
  assert.deepEqual(canBind(libc, loopback(bound.port), ['udp', 'tcp']), taken);
  assert.equal(canBind(libc, loopback(bound.port), ['udp']).ok, true);
});

test('reports a UDP port that is in use, even by a socket that would share it', { skip }, async (context) => {
  assert.ok(libc);
  const socket = createSocket({ type: 'udp4', reuseAddr: true }).bind(0, '127.0.0.1');
  context.after(() => socket.close());
  await once(socket, 'listening');
  const { port } = socket.address();
  assert.deepEqual(canBind(libc, loopback(port), ['tcp', 'udp']), {
    ok: false,
    kind: 'udp',
    code: 'EADDRINUSE',
  });
});
