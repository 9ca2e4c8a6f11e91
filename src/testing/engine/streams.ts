// For tests: DNS over TCP with real connections. The first letter of a query selects the answer: `e` the
// query in upper case at once, `l` later, `n` no answer; `b` 60,000 bytes at once, `B` later; `u` like `e`,
// but from a client that is not allowed.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { later, type Answerer, type QuerySource } from '../../engine/query-source.ts';
import { Outgoing } from '../../engine/net/outgoing.ts';
import { StreamListener, type StreamListenerOptions } from '../../engine/listen/tcp-listener.ts';

const bigBytes = 60_000;

export class Tester implements Answerer {
  readonly outgoing = new Outgoing();
  readonly sources = new Set<QuerySource>();
  queries = 0;
  isHolding = false;
  onQuery: (source: QuerySource) => void = () => undefined;
  readonly #held: { source: QuerySource; ticket: number; answer: Uint8Array }[] = [];

  beginBatch(): void {}

  endBatch(): void {
    this.outgoing.flushAll();
    if (!this.isHolding) setImmediate(() => this.release());
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
    this.queries += 1;
    this.sources.add(source);
    this.onQuery(source);
    const text = Buffer.from(bytes.subarray(start, start + length)).toString();
    const answer = Buffer.from(/^b/iu.test(text) ? text.padEnd(bigBytes, '.') : text.toUpperCase());
    assert.ok(answer.length <= outBytes);
    if (/^[lB]/u.test(text)) return this.#later(source, answer);
    if (text.startsWith('n')) return 0;
    if (text.startsWith('u')) source.onUnwelcome?.();
    out.set(answer, outStart);
    return answer.length;
  }

  #later(source: QuerySource, answer: Uint8Array): number {
    const ticket = source.hold();
    assert.ok(ticket >= 0);
    this.#held.push({ source, ticket, answer });
    return later;
  }

  /** The last one first. Each answer is delivered twice; the second delivery must have no effect. */
  release(): void {
    const held = this.#held.splice(0).toReversed();
    for (const { source, ticket, answer } of [...held, ...held])
      source.deliver(ticket, answer, 0, answer.length);
    this.outgoing.flushAll();
  }
}

export interface Serving {
  readonly tester: Tester;
  readonly listener: StreamListener;
  readonly server: Server;
  readonly port: number;
  readonly client: Client;
}

export async function serve(
  context: TestContext,
  options: Partial<StreamListenerOptions> = {},
  host = '127.0.0.1',
): Promise<Serving> {
  const tester = new Tester();
  const listener = new StreamListener({ ...options, answerer: tester, outgoing: tester.outgoing });
  const server = listener.createServer().listen(0, host);
  await once(server, 'listening');
  context.after(() => {
    listener.destroy();
    server.close();
  });
  // A listening TCP server has an address and a port.
  const { port } = server.address() as AddressInfo;
  return { tester, listener, server, port, client: await openClient(context, port) };
}

export interface Client {
  readonly socket: Socket;
  readonly ended: Promise<unknown>;
  readonly closed: Promise<unknown>;
  /** Detected by writing, for a client that does not read. */
  readonly serverClosed: Promise<unknown>;
  write(bytes: Uint8Array): void;
  take(count: number): Promise<string[]>;
  query(query: string): Promise<string | undefined>;
}

export async function openClient(context: TestContext, port: number, host = '127.0.0.1'): Promise<Client> {
  const socket = connect({ port, host, allowHalfOpen: true });
  context.after(() => socket.destroy());
  let received = Buffer.alloc(0);
  const answers: string[] = [];
  const [ended, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  socket.on('error', () => closed.resolve()).on('close', () => closed.resolve());
  socket.on('end', () => {
    ended.resolve();
    closed.resolve();
    socket.end();
  });
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      answers.push(received.toString('utf8', 2, end));
      received = received.subarray(end);
    }
  });
  await once(socket, 'connect');
  const take = async (count: number): Promise<string[]> => {
    await until(() => answers.length >= count);
    return answers.splice(0, count);
  };
  return {
    socket,
    ended: ended.promise,
    closed: closed.promise,
    get serverClosed() {
      const writing = setInterval(() => socket.write(frames(['e'])), 20);
      return closed.promise.finally(() => clearInterval(writing));
    },
    write: (bytes) => socket.write(bytes),
    take,
    async query(query) {
      socket.write(frames([query]));
      return (await take(1))[0];
    },
  };
}

export function frames(queries: readonly string[]): Buffer {
  return Buffer.concat(
    queries.map((query) =>
      Buffer.concat([Uint8Array.of(query.length >>> 8, query.length), Buffer.from(query)]),
    ),
  );
}

export async function pass(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms);
  await promise;
}

export async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 15_000 && !holds(); turn += 1) await pass(2);
  assert.ok(holds());
}
