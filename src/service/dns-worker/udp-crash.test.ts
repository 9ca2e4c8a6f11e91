// Packets that kill: a real worker dies or hangs over one datagram in the middle of a batch, and its
// successor answers every other, once, reports the one, and goes on with the queries that were waiting. This
// file is its own worker. The answerer reads a letter: `e` is answered at once, `l` later (only by a worker
// with that option), `w` waits until the test has sent everything, and the others kill in their own way.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { after, before, describe, test, type TestContext } from 'node:test';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ipBytes } from '#wire';
import {
  type Answerer,
  type QuerySource,
  BlackBox,
  blackBoxHead,
  type Culprit,
  dropHeld,
  later,
  makeBlackBox,
  Outgoing,
  UdpListener,
} from '#engine';
import { bindSocket, listenerBufferBytes, loadLibc, setBuffers, revokeDatagramCopy } from '#platform/sockets';
import { type BundledWorker, bundleWorker } from '#testing/service/bundled-worker';
import { keepPort, loadDatagrams } from './datagrams.ts';

const libc = loadLibc();
const skip = libc === undefined;
const host = '127.0.0.1';

interface Task {
  readonly fd: number;
  readonly box: SharedArrayBuffer;
  readonly batches: boolean;
  readonly answersLate: boolean;
  /** 0: wait in `w`; 1: go on. Word 1 becomes 1 when the worker hangs. */
  readonly signal: Int32Array;
}

interface Case {
  readonly name: string;
  /** In the order of sending; all in one burst. */
  readonly queries: readonly string[];
  readonly batches?: boolean;
  /** How often a worker dies before one stays. */
  readonly deaths: number;
  readonly culprits: readonly string[];
}

const plenty = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `e ${from + index}`);
const waiting = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `l ${from + index}`);

const cases: readonly Case[] = [
  {
    name: 'throws in the middle of a batch',
    queries: [...plenty(0, 100), 'p poison', ...plenty(100, 100)],
    deaths: 1,
    culprits: ['query p poison'],
  },
  {
    name: 'throws, by node:dgram',
    batches: false,
    queries: [...plenty(0, 20), 'p poison', ...plenty(100, 100)],
    deaths: 1,
    culprits: ['query p poison'],
  },
  {
    name: 'hangs in the middle of a batch, and others wait for upstreams',
    queries: [...waiting(0, 30), ...plenty(0, 30), 'h poison', ...waiting(30, 100), ...plenty(100, 100)],
    deaths: 1,
    culprits: ['query h poison'],
  },
  {
    name: 'exits',
    queries: [...waiting(0, 3), ...plenty(0, 3), 'x poison', ...plenty(3, 3)],
    deaths: 1,
    culprits: ['query x poison'],
  },
  {
    name: 'throws after it was held',
    queries: [...waiting(0, 3), 'q poison', ...waiting(3, 3)],
    deaths: 1,
    culprits: ['query q poison'],
  },
  {
    name: 'throws when its late answer comes',
    queries: [...waiting(0, 3), ...plenty(0, 3), 'd poison', ...waiting(3, 3)],
    deaths: 1,
    culprits: ['late answer d poison'],
  },
  {
    name: 'four that kill, in one batch and in others',
    queries: ['p 1', ...plenty(0, 10), 'p 2', 'p 3', ...waiting(0, 70), ...plenty(10, 100), 'x 4', 'e last'],
    deaths: 4,
    culprits: ['query p 1', 'query p 2', 'query p 3', 'query x 4'],
  },
  {
    name: 'kills each time while it only waits',
    queries: ['e 1', 'k nothing marks it', 'e 2'],
    deaths: 3,
    culprits: ['waiting k nothing marks it'],
  },
];

class Killer implements Answerer {
  readonly outgoing = new Outgoing();
  readonly #answersLate: boolean;
  readonly #signal: Int32Array;

  constructor(answersLate: boolean, signal: Int32Array) {
    this.#answersLate = answersLate;
    this.#signal = signal;
  }

  beginBatch(): void {}

  endBatch(): void {
    this.outgoing.flushAll();
  }

  answer(
    source: QuerySource,
    bytes: Uint8Array,
    start: number,
    length: number,
    out: Uint8Array,
    outStart: number,
  ): number {
    const answer = Buffer.from(bytes.subarray(start, start + length));
    const letter = answer.toString('latin1', 0, 1);
    answer[0] = (answer[0] ?? 0) & ~0x20;
    if ('lqdk'.includes(letter)) return this.#later(source, letter, answer);
    this.#kill(letter);
    if (letter === 'w') Atomics.wait(this.#signal, 0, 0, 60_000);
    out.set(answer, outStart);
    return length;
  }

  #kill(letter: string): void {
    if (letter === 'p') throw new Error('meant to happen');
    if (letter === 'x') process.exit(1);
    if (letter !== 'h') return;
    Atomics.store(this.#signal, 1, 1);
    for (;;);
  }

  #later(source: QuerySource, letter: string, answer: Uint8Array): number {
    const ticket = source.hold();
    assert.ok(ticket >= 0);
    if (letter === 'q') throw new Error('meant to happen');
    if (letter === 'k') {
      setImmediate(() => {
        throw new Error('meant to happen');
      });
    } else if (letter === 'd') setTimeout(() => this.#deliverPoison(source, ticket), 20);
    else if (this.#answersLate) setTimeout(() => this.#deliver(source, ticket, answer), 5);
    return later;
  }

  /** As the engine would: what is worked on is said before, and the reply kills in the reading. */
  #deliverPoison(source: QuerySource, ticket: number): void {
    source.deliver(ticket, new Proxy(new Uint8Array(4), { get: () => assert.fail('meant to happen') }), 0, 4);
  }

  #deliver(source: QuerySource, ticket: number, answer: Uint8Array): void {
    source.deliver(ticket, answer, 0, answer.length);
    this.outgoing.flushAll();
  }
}

let entry = new URL(import.meta.url);

if (isMainThread) {
  describe('a packet that kills the worker', { skip, timeout: 240_000 }, () => {
    let bundled: BundledWorker | undefined;
    before(async () => {
      bundled = await bundleWorker(import.meta.filename);
      ({ entry } = bundled);
    });
    after(() => bundled?.remove());

    for (const one of cases)
      test(`is reported and all others are answered: ${one.name}`, { timeout: 120_000 }, (context) =>
        survives(context, one),
      );
    test(
      'by silence: all that the worker held is dropped, and what comes later is answered',
      { timeout: 120_000 },
      dropsWhatASilentOneHeld,
    );
  });
} else {
  await serveInWorker(workerData);
}

interface Scene {
  readonly task: Omit<Task, 'signal' | 'answersLate'>;
  readonly client: ReturnType<typeof createSocket>;
  readonly port: number;
  readonly answers: string[];
}

async function openScene(context: TestContext, batches = true): Promise<Scene> {
  assert.ok(libc);
  const bound = bindSocket(libc, 'udp', { family: 'ipv4', host, zone: '', port: 0 });
  assert.ok(bound.ok);
  const { fd, port } = bound.value;
  setBuffers(libc, fd, listenerBufferBytes);
  context.after(() => libc.close(fd));
  const client = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 }).bind(0, host);
  context.after(() => client.close());
  const answers: string[] = [];
  client.on('message', (bytes) => answers.push(bytes.toString()));
  await once(client, 'listening');
  return { task: { fd, box: makeBlackBox(), batches }, client, port, answers };
}

async function answered({ client, answers }: Scene, isDone: () => boolean): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  while (!isDone()) await once(client, 'message', { signal });
  assert.ok(answers.length > 0);
}

async function dropsWhatASilentOneHeld(context: TestContext): Promise<void> {
  const scene = await openScene(context);
  const { task, client, port, answers } = scene;
  const reports: string[] = [];
  const queries = [...waiting(0, 30), ...plenty(0, 2), 'h poison', ...waiting(30, 4), ...plenty(2, 9)];
  const silent = await startWorker(context, { ...task, answersLate: false }, reports);
  for (const query of ['w', ...queries]) client.send(query, port, host);
  await sendingDone(client);
  Atomics.store(silent.signal, 0, 1);
  Atomics.notify(silent.signal, 0);
  await silent.died(() => dropHeld(task.box));
  const successor = await startWorker(context, { ...task, answersLate: true }, reports, 1);
  client.send('e later', port, host);
  await answered(scene, () => answers.includes('E later'));
  // What was in the batch before the one that hung has its answer; `w` and `e later` are ours.
  const dropped = queries.length - 1 - (answers.length - 2);
  assert.deepEqual(reports, ['query h poison', `dropped ${dropped}`]);
  assert.ok(dropped >= 43, `${dropped} of ${queries.length}`);
  assert.ok(!answers.some((answer) => answer.startsWith('L')), answers.join());
  await successor.end();
}

async function survives(context: TestContext, one: Case): Promise<void> {
  const scene = await openScene(context, one.batches);
  const { task, client, port, answers } = scene;
  const culprits: string[] = [];
  let worker = await startWorker(context, { ...task, answersLate: one.deaths > 1 }, culprits);
  for (const query of ['w', ...one.queries]) client.send(query, port, host);
  await sendingDone(client);
  Atomics.store(worker.signal, 0, 1);
  Atomics.notify(worker.signal, 0);
  for (let death = 0; death < one.deaths; death += 1) {
    await worker.died();
    worker = await startWorker(context, { ...task, answersLate: true }, culprits, 1);
  }
  const harmless = one.queries.filter((query) => /^[el]/u.test(query));
  const expected = ['W', ...harmless.map((query) => query.slice(0, 1).toUpperCase() + query.slice(1))];
  await answered(scene, () => answers.length >= expected.length);
  assert.deepEqual(answers.toSorted(), expected.toSorted());
  assert.deepEqual(culprits.toSorted(), one.culprits.toSorted());
  await worker.end();
  assert.equal(new BlackBox(task.box).get(blackBoxHead.descriptor), 0);
}

async function sendingDone(client: ReturnType<typeof createSocket>): Promise<void> {
  for (let turn = 0; turn < 1000 && client.getSendQueueCount() > 0; turn += 1) {
    const { promise, resolve } = Promise.withResolvers<void>();
    setImmediate(resolve);
    await promise;
  }
  assert.equal(client.getSendQueueCount(), 0);
}

interface Started {
  readonly signal: Int32Array;
  died(beforeForce?: () => void): Promise<void>;
  end(): Promise<void>;
}

async function startWorker(
  context: TestContext,
  task: Omit<Task, 'signal'>,
  culprits: string[],
  goesOn = 0,
): Promise<Started> {
  const signal = new Int32Array(new SharedArrayBuffer(8));
  signal[0] = goesOn;
  const worker = new Worker(entry, { workerData: { ...task, signal } });
  context.after(() => worker.terminate());
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  worker.once('exit', () => resolve()).on('error', () => undefined);
  const ready = Promise.withResolvers<void>();
  worker.on('message', (message: Culprit | string) => {
    if (message === 'ready') ready.resolve();
    else if (typeof message === 'string') culprits.push(message);
    else culprits.push(`${message.during} ${Buffer.from(message.packet, 'hex').toString()}`);
  });
  // One that dies while it takes over is never ready.
  await Promise.race([ready.promise, exited]);
  return {
    signal,
    async died(beforeForce) {
      const hanging = Promise.withResolvers<void>();
      const look = setInterval(() => Atomics.load(signal, 1) === 1 && hanging.resolve(), 5);
      await Promise.race([exited, hanging.promise]);
      clearInterval(look);
      if (Atomics.load(signal, 1) === 1) {
        const copy = new BlackBox(task.box).get(blackBoxHead.descriptor) - 1;
        beforeForce?.();
        assert.ok(libc !== undefined && revokeDatagramCopy(libc, task.fd, copy));
        await worker.terminate();
      }
      await exited;
    },
    async end() {
      worker.postMessage('close');
      await exited;
    },
  };
}

async function serveInWorker({ answersLate, batches, box, fd, signal }: Task): Promise<void> {
  const copy = libc?.dup(fd);
  assert.ok(copy?.ok);
  const answerer = new Killer(answersLate, signal);
  const listener = await UdpListener.open({
    family: 'ipv4',
    local: { text: host, bytes: ipBytes(host) ?? new Uint8Array() },
    port: 0,
    fd: copy.value,
    datagrams: batches ? loadDatagrams(libc) : undefined,
    keepPort: (own) => keepPort(libc, own),
    box,
    answerer,
    outgoing: answerer.outgoing,
    onCulprit: (culprit) => parentPort?.postMessage(culprit),
    onDropped: (queries) => parentPort?.postMessage(`dropped ${queries}`),
    onProblem: (code) => assert.fail(code),
  });
  parentPort?.once('message', () => listener.close());
  parentPort?.postMessage('ready');
}
