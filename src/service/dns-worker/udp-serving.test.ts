// The engine's UDP listener on real sockets, with batches and without by one table. The answerer of these
// tests reads a letter: `e` is answered at once, `l` later, `n` not at all; an answer is the query with its
// first letter in upper case.

import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import test, { type TestContext } from 'node:test';
import { ipBytes } from '#wire';
import {
  type Answerer,
  type QuerySource,
  BlackBox,
  type Culprit,
  type Family,
  later,
  makeBlackBox,
  Outgoing,
  UdpListener,
} from '#engine';
import { bindSocket, listenerBufferBytes, loadLibc, setBuffers } from '#platform/sockets';
import { keepPort, loadDatagrams } from './datagrams.ts';

const libc = loadLibc();
const datagrams = loadDatagrams(libc);

interface Way {
  readonly name: string;
  readonly lends: boolean;
  readonly batches: boolean;
}

const ways: readonly Way[] = [
  { name: 'batches', lends: true, batches: true },
  { name: 'node:dgram on a lent descriptor', lends: true, batches: false },
  { name: 'node:dgram by address', lends: false, batches: false },
].filter(({ lends }) => !lends || libc !== undefined);

const families: readonly (readonly [Family, string])[] = [
  ['ipv4', '127.0.0.1'],
  ['ipv6', '::1'],
];

for (const way of ways) {
  for (const [family, host] of families) {
    const kind = `${way.name}, ${family}`;
    test(`every one of 300 queries at once has its answer: ${kind}`, async (context) => {
      const { port, tester } = await serve(context, way, family, host);
      const client = await openClient(context, family, host);
      const queries = Array.from(
        { length: 300 },
        (_, index) => `${index % 3 === 0 ? 'l' : 'e'} query ${index}`,
      );
      for (const query of queries) client.send(query, port, host);
      const answers = await client.take(queries.length);
      assert.deepEqual(answers.toSorted(), queries.map(upper).toSorted());
      assert.deepEqual(tester.seen, new Set([`${client.address} ${client.port}`]));
      assert.equal(tester.waiting(), 0);
    });
  }

  test(`queries without an answer do not delay the others: ${way.name}`, async (context) => {
    const { port } = await serve(context, way, 'ipv4', '127.0.0.1');
    const client = await openClient(context, 'ipv4', '127.0.0.1');
    for (const query of ['n', 'e 1', '', 'n', 'e 2', 'n']) client.send(query, port, '127.0.0.1');
    assert.deepEqual((await client.take(2)).toSorted(), ['E 1', 'E 2']);
  });

  test(`the longest answer and a query that is too long: ${way.name}`, async (context) => {
    const { port, tester } = await serve(context, way, 'ipv4', '127.0.0.1');
    const client = await openClient(context, 'ipv4', '127.0.0.1');
    const longest = `e${'x'.repeat(tester.outBytes() - 1)}`;
    client.send(longest, port, '127.0.0.1');
    assert.deepEqual(await client.take(1), [upper(longest)]);
    client.send(`e${'x'.repeat(2000)}`, port, '127.0.0.1');
    client.send('e after', port, '127.0.0.1');
    assert.deepEqual(await client.take(1), ['E after']);
    assert.equal(tester.longest, 1600);
  });

  test(`no more queries wait than there are tickets: ${way.name}`, async (context) => {
    const { port, tester, box } = await serve(context, way, 'ipv4', '127.0.0.1', 3);
    const client = await openClient(context, 'ipv4', '127.0.0.1');
    tester.isHolding = true;
    for (const query of ['l 1', 'l 2', 'l 3', 'l 4', 'e']) client.send(query, port, '127.0.0.1');
    assert.deepEqual(await client.take(1), ['E']);
    assert.equal(tester.waiting(), 3);
    assert.equal(new BlackBox(box).counters[4], 1);
    tester.release();
    assert.deepEqual((await client.take(3)).toSorted(), ['L 1', 'L 2', 'L 3']);
    tester.release();
    client.send('l 5', port, '127.0.0.1');
    await tester.until(() => tester.waiting() === 1);
    tester.release();
    assert.deepEqual(await client.take(1), ['L 5']);
  });
}

test(
  'a listener that stops leaves the queued queries to others',
  { skip: libc === undefined },
  async (context) => {
    assert.ok(libc);
    const way = { name: '', lends: true, batches: true };
    const { port, tester, listener, fd } = await serve(context, way, 'ipv4', '127.0.0.1');
    const client = await openClient(context, 'ipv4', '127.0.0.1');
    tester.isHolding = true;
    client.send('l 1', port, '127.0.0.1');
    await tester.until(() => tester.waiting() === 1);
    const queue = libc.dup(fd);
    assert.ok(queue.ok);
    listener.stopReading();
    client.send('e 2', port, '127.0.0.1');
    tester.release();
    assert.deepEqual(await client.take(1), ['L 1']);
    assert.equal(tester.waiting(), 0);
    client.send('l 3', port, '127.0.0.1');
    listener.close();
    await serve(context, way, 'ipv4', '127.0.0.1', 3, queue.value);
    assert.deepEqual((await client.take(2)).toSorted(), ['E 2', 'L 3']);
  },
);

for (const way of ways) {
  test(`an answer after the close is dropped; the successor answers: ${way.name}`, async (context) => {
    const { port, tester, listener, box } = await serve(context, way, 'ipv4', '127.0.0.1');
    const client = await openClient(context, 'ipv4', '127.0.0.1');
    tester.isHolding = true;
    client.send('l', port, '127.0.0.1');
    await tester.until(() => tester.waiting() === 1);
    listener.close();
    tester.release();
    assert.equal(tester.waiting(), 1);
    const successor = await serve(context, way, 'ipv4', '127.0.0.1', 0, undefined, box);
    assert.deepEqual(await client.take(1), ['L']);
    assert.equal(successor.tester.waiting(), 0);
  });
}

test('an address that cannot be bound is an error', async (context) => {
  const way = { name: '', lends: false, batches: false };
  await assert.rejects(serve(context, way, 'ipv4', '192.0.2.55'), { code: 'EADDRNOTAVAIL' });
});

test(
  'no other socket can share the port of a lent descriptor',
  { skip: libc === undefined },
  async (context) => {
    const { port } = await serve(context, { name: '', lends: true, batches: true }, 'ipv4', '127.0.0.1');
    const rival = createSocket({ type: 'udp4', reuseAddr: true });
    context.after(() => rival.close());
    rival.bind(port, '127.0.0.1');
    const [error] = await once(rival, 'error');
    assert.equal(error.code, 'EADDRINUSE');
  },
);

class Tester implements Answerer {
  readonly outgoing = new Outgoing();
  readonly seen = new Set<string>();
  isHolding = false;
  longest = 0;
  listener: UdpListener | undefined;
  #outBytes = 0;
  readonly #held: { source: QuerySource; ticket: number; bytes: Uint8Array }[] = [];

  waiting = (): number => this.listener?.waiting ?? 0;
  outBytes = (): number => 1280;
  beginBatch(): void {}

  endBatch(): void {
    if (!this.isHolding) setImmediate(() => this.release());
    this.outgoing.flushAll();
  }

  answer(
    source: QuerySource,
    bytes: Uint8Array,
    start: number,
    length: number,
    out: Uint8Array,
    outStart: number,
    outBytes: number,
  ): number {
    this.#outBytes = outBytes;
    this.longest = Math.max(this.longest, length);
    const letter = bytes[start] ?? 0;
    this.seen.add(`${Object.values(source.client).join()} ${source.clientPort}`);
    const answer = Uint8Array.from(bytes.subarray(start, start + length));
    answer[0] = letter & ~0x20;
    if (letter === 0x6c) {
      const ticket = source.hold();
      if (ticket < 0) return 0;
      this.#held.push({ source, ticket, bytes: answer });
      return later;
    }
    if (letter !== 0x65 || length > this.#outBytes) return 0;
    out.set(answer, outStart);
    return length;
  }

  /** Delivers each twice: the second one must be dropped. */
  release(): void {
    for (const { source, ticket, bytes } of this.#held) source.deliver(ticket, bytes, 0, bytes.length);
    this.outgoing.flushAll();
    for (const { source, ticket, bytes } of this.#held) source.deliver(ticket, bytes, 0, bytes.length);
    this.#held.length = 0;
    this.outgoing.flushAll();
  }

  async until(holds: () => boolean): Promise<void> {
    for (let turn = 0; turn < 10_000 && !holds(); turn += 1) {
      const { promise, resolve } = Promise.withResolvers<void>();
      setTimeout(resolve, 2);
      await promise;
    }
    assert.ok(holds());
  }
}

async function serve(
  context: TestContext,
  way: Way,
  family: Family,
  host: string,
  tickets?: number,
  lent = way.lends ? lend(context, family, host) : undefined,
  box = makeBlackBox(tickets),
): Promise<{ port: number; tester: Tester; box: SharedArrayBuffer; listener: UdpListener; fd: number }> {
  const tester = new Tester();
  const problems: string[] = [];
  const culprits: Culprit[] = [];
  const listener = await UdpListener.open({
    family,
    local: { text: host, bytes: ipBytes(host) ?? new Uint8Array() },
    port: 0,
    fd: lent,
    datagrams: way.batches ? datagrams : undefined,
    keepPort: (fd) => keepPort(libc, fd),
    box,
    answerer: tester,
    outgoing: tester.outgoing,
    onCulprit: (culprit) => culprits.push(culprit),
    onDropped: () => assert.fail(),
    onProblem: (problem) => problems.push(problem),
  });
  tester.listener = listener;
  context.after(() => {
    listener.close();
    assert.deepEqual([problems, culprits], [[], []]);
  });
  return { port: listener.port, tester, box, listener, fd: lent ?? -1 };
}

function lend(context: TestContext, family: Family, host: string): number {
  assert.ok(libc);
  const bound = bindSocket(libc, 'udp', { family, host, zone: '', port: 0 });
  assert.ok(bound.ok);
  context.after(() => libc.close(bound.value.fd));
  setBuffers(libc, bound.value.fd, listenerBufferBytes);
  const copy = libc.dup(bound.value.fd);
  assert.ok(copy.ok);
  return copy.value;
}

interface Client {
  readonly address: string;
  readonly port: number;
  send(text: string, port: number, host: string): void;
  /** The next so many answers. */
  take(count: number): Promise<string[]>;
}

async function openClient(context: TestContext, family: Family, host: string): Promise<Client> {
  const socket: Socket = createSocket({ type: family === 'ipv6' ? 'udp6' : 'udp4', recvBufferSize: 1 << 20 });
  context.after(() => socket.close());
  const answers: string[] = [];
  socket.on('message', (bytes) => answers.push(bytes.toString()));
  socket.bind(0, host);
  await once(socket, 'listening');
  const words = family === 'ipv6' ? '0,0,0,1' : [0, 0, 0xffff, 0x7f000001].join();
  return {
    address: words,
    port: socket.address().port,
    send: (text, port, to) => socket.send(text, port, to),
    async take(count) {
      const signal = AbortSignal.timeout(30_000);
      while (answers.length < count) await once(socket, 'message', { signal });
      return answers.splice(0, count);
    },
  };
}

const upper = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
