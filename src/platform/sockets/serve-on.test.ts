// A worker dies while connections wait, and its successor answers every one of them. This file is its own
// worker, which serves HTTP on a copy of the listener. The worker that dies first hangs in a timer, when its
// event loop already watches the socket, so that the kernel queues new connections.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer as createNetServer } from 'node:net';
import test, { type TestContext } from 'node:test';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { loadLibc } from './libc.ts';
import type { TcpListener } from './listener.ts';
import { attach } from './serve-on.ts';
import { revokeCopy, revokeDatagramCopy } from './revoke-copy.ts';
import { openTcp } from './tcp-listeners.ts';

// An import would load undici, in each worker.
const { createServer, request } = process.getBuiltinModule('node:http');
const libc = loadLibc();
const skip = libc === undefined;
const queuedCount = 20;

type Mode = 'answer' | 'exit' | 'throw' | 'reject' | 'hang';

interface Task {
  readonly listener: TcpListener;
  readonly mode: Mode;
  /** Becomes 1 when the worker shall die. */
  readonly signal: Int32Array;
}

if (isMainThread) {
  for (const mode of ['exit', 'throw', 'reject', 'hang'] as const) {
    test(
      `the successor of a worker that dies by ${mode} answers the queued connections`,
      { skip, timeout: 120_000 },
      (context) => answersQueued(context, mode),
    );
  }
  test('only a copy of the same socket is taken back', { skip }, refusesOthers);
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
  test('a closed server leaves no exit hook behind', { skip }, async (context) => {
    const hooks = process.listenerCount('exit');
    const servers = [createNetServer(), createNetServer()];
    for (const server of servers) await attach(libc, server, open(context));
    assert.equal(process.listenerCount('exit'), hooks + 1);
    for (const server of servers) await once(server.close(), 'close');
    assert.equal(process.listenerCount('exit'), hooks);
  });
} else {
  await serveInWorker(workerData);
}

async function answersQueued(context: TestContext, mode: Mode): Promise<void> {
  const listener = open(context);
  const first = await start(context, listener, mode);
  const queued = Array.from({ length: queuedCount }, () => ask(listener.port));
  await Promise.all(queued.map(({ sent }) => sent));
  await first.end();

  const successor = await start(context, listener, 'answer');
  const bodies = await Promise.all(queued.map(({ body }) => body));
  assert.deepEqual(
    bodies,
    Array.from({ length: queuedCount }, () => 'answer'),
  );
  await successor.end();
  assert.equal(copiesOf(listener), 0, 'dead workers leave no descriptors');
}

async function start(
  context: TestContext,
  listener: TcpListener,
  mode: Mode,
): Promise<{ end(): Promise<unknown> }> {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const task: Task = { listener, mode, signal };
  const worker = new Worker(new URL(import.meta.url), { workerData: task });
  context.after(() => worker.terminate());
  const [copy] = await once(worker, 'message');
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  worker.once('exit', resolve).on('error', () => undefined);
  const end = async () => {
    Atomics.store(signal, 0, 1);
    if (mode !== 'hang' && mode !== 'answer') Atomics.notify(signal, 0);
    else if (libc !== undefined && revokeCopy(libc, listener, copy)) await worker.terminate();
    await exited;
  };
  return { end };
}

async function serveInWorker({ listener, mode, signal }: Task): Promise<void> {
  const server = createServer((_request, reply) => reply.end(mode));
  const copy = await attach(libc, server, listener);
  if (mode === 'answer') parentPort?.postMessage(copy);
  else setTimeout(() => hangAndDie(mode, signal, copy), 50);
}

function hangAndDie(mode: Mode, signal: Int32Array, copy: number | undefined): void {
  parentPort?.postMessage(copy);
  Atomics.wait(signal, 0, 0);
  if (mode === 'exit') process.exit(1);
  if (mode === 'reject') void Promise.reject(new Error('meant to happen'));
  if (mode === 'throw') throw new Error('meant to happen');
}

function refusesOthers(context: TestContext): void {
  assert.ok(libc);
  const listener = open(context);
  const other = open(context);
  for (const fd of [listener.fd, other.fd, 0, 0x7fff_ffff]) {
    assert.equal(revokeCopy(libc, listener, fd ?? -1), false);
    assert.equal(revokeDatagramCopy(libc, listener.fd ?? -1, fd ?? -1), false);
  }
  assert.equal(copiesOf(other), 0);
}

function open(context: TestContext): TcpListener {
  assert.ok(libc);
  const address = { family: 'ipv4', host: '127.0.0.1', zone: '', port: 0 } as const;
  const opened = openTcp(libc, address, { setting: 'web.http' });
  assert.ok(opened.ok && opened.listener.fd !== undefined);
  const { fd } = opened.listener;
  context.after(() => libc.close(fd));
  return opened.listener;
}

function copiesOf({ fd }: TcpListener): number {
  const own = readlinkSync(`/proc/self/fd/${fd}`);
  return readdirSync('/proc/self/fd').filter((other) => other !== String(fd) && target(other) === own).length;
}

/** Empty for the descriptor with which the folder was read, which is closed by now. */
function target(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
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
