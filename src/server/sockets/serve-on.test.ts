/**
 * The promise behind the whole design: a worker dies while connections wait, and its successor answers every
 * one of them. This file is its own worker, a real one: it serves HTTP on a copy of the listener, or, as the
 * first worker, listens and then hangs, so that the kernel queues what arrives.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import test from 'node:test';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { loadLibc } from './libc.ts';
import type { TcpListener } from './listener.ts';
import { attach } from './serve-on.ts';
import { openTcp } from './tcp-listeners.ts';

const libc = loadLibc();
const queuedCount = 20;

if (isMainThread) {
  const skip = libc === undefined;
  test('the successor of a dead worker answers what was queued', { skip, timeout: 30_000 }, answersQueued);
  test('a copy that cannot be made is an error', async () => {
    const listener = {
      kind: 'tcp',
      fd: 0x7fff_ffff,
      family: 'ipv4',
      address: '',
      port: 0,
      backlog: 1,
    } as const;
    await assert.rejects(attach(libc, createNetServer(), listener), /cannot copy the listening descriptor/u);
  });
} else {
  await serveInWorker();
}

async function answersQueued(): Promise<void> {
  assert.ok(libc);
  const address = { family: 'ipv4', host: '127.0.0.1', zone: '', port: 0 } as const;
  const opened = openTcp(libc, address, { setting: 'web.http' });
  assert.ok(opened.ok && opened.listener.fd !== undefined);
  const before = readdirSync('/proc/self/fd').length;

  const hanging = await start(opened.listener, 'hang');
  const queued = Array.from({ length: queuedCount }, () => ask(opened.listener.port));
  await Promise.all(queued.map(({ sent }) => sent));
  await hanging.terminate();

  const successor = await start(opened.listener, 'answer');
  const bodies = await Promise.all(queued.map(({ body }) => body));
  assert.deepEqual(
    bodies,
    Array.from({ length: queuedCount }, () => 'answer'),
  );

  await successor.terminate();
  assert.equal(readdirSync('/proc/self/fd').length, before, 'dead workers leave no descriptors');
  libc.close(opened.listener.fd);
}

async function start(listener: TcpListener, mode: string): Promise<Worker> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { listener, mode } });
  await once(worker, 'message');
  return worker;
}

function ask(port: number): { sent: Promise<unknown>; body: Promise<string> } {
  const asked = request({ host: '127.0.0.1', port, agent: false });
  const body = once(asked, 'response').then(async ([reply]) =>
    Buffer.concat(await reply.toArray()).toString(),
  );
  const sent = once(asked, 'finish');
  asked.end();
  return { sent, body };
}

async function serveInWorker(): Promise<void> {
  const { listener, mode }: { listener: TcpListener; mode: string } = workerData;
  const server = createServer((_request, reply) => reply.end(mode));
  await attach(libc, server, listener);
  parentPort?.postMessage('listening');
  if (mode === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
