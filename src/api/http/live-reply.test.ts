import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../../../test/running/waiting.ts';
import { writeLive } from './live-reply.ts';

type Parts = AsyncIterable<string> | ((response: ServerResponse) => AsyncIterable<string>);

interface Live {
  readonly reply: IncomingMessage;
  /** The server's side of the reply. */
  readonly response: ServerResponse;
  /** Resolves with the error of the writing, or undefined. */
  readonly written: Promise<unknown>;
}

/** The reply of a server that writes these parts. */
async function live(t: TestContext, parts: Parts, silenceMs?: number): Promise<Live> {
  const { promise: written, resolve } = Promise.withResolvers<unknown>();
  const begun = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => {
    begun.resolve(response);
    const made = typeof parts === 'function' ? parts(response) : parts;
    writeLive(response, made, () => ',"took":1}', silenceMs).then(resolve, resolve);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server that listens has an address with a port.
  const sent = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
  // The first argument of this event is the reply.
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return { reply, written, response: await begun.promise };
}

async function textOf(reply: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of reply.setEncoding('utf8')) text += String(chunk);
  return text;
}

describe('a live reply', () => {
  it('arrives part by part, with its end', async (t) => {
    const more = Promise.withResolvers<void>();
    const { reply, written } = await live(
      t,
      (async function* () {
        yield '{"a":1';
        await more.promise;
        yield ',"b":2';
      })(),
    );
    const [first] = await once(reply.setEncoding('utf8'), 'data');
    assert.equal(first, '{"a":1');
    more.resolve();
    assert.equal(await textOf(reply), ',"b":2,"took":1}');
    assert.equal(await written, undefined);
  });

  it('is produced no faster than the client reads', async (t) => {
    let [waits, early] = [0, 0];
    const { reply, written } = await live(t, async function* (response) {
      response.on('drain', () => waits++);
      yield '{"a":"';
      for (let made = 0; made < 100; made++) {
        if (response.writableNeedDrain) early++;
        yield 'x'.repeat(65_536);
      }
      yield '"';
    });
    assert.equal((await textOf(reply)).length, 100 * 65_536 + '{"a":"","took":1}'.length);
    assert.equal(await written, undefined);
    assert.equal(early, 0, 'A part was requested before the client had read the last one.');
    assert.ok(waits > 0, 'The server never waited, so this test tests nothing.');
  });

  it('ends when the client disconnects, also during a wait', async (t) => {
    let isOver = false;
    const { reply, written, response } = await live(
      t,
      (async function* () {
        try {
          for (;;) yield 'x'.repeat(65_536);
        } finally {
          isOver = true;
        }
      })(),
    );
    reply.pause();
    // The kernel's buffers are full once bytes stay in the process.
    await until('the server waits for the client', () => response.writableLength > 0 || undefined);
    reply.destroy();
    assert.equal(await written, undefined);
    assert.equal(isOver, true);
  });

  it('sends empty lines while there are no parts', async (t) => {
    const more = Promise.withResolvers<void>();
    const { reply } = await live(
      t,
      (async function* () {
        yield '{"a":1';
        await more.promise;
        yield ',"b":2';
      })(),
      50,
    );
    let text = '';
    for await (const chunk of reply.setEncoding('utf8')) {
      text += String(chunk);
      if (text.endsWith('\n\n')) more.resolve();
    }
    assert.match(text, /^\{"a":1\n{2,},"b":2,"took":1\}$/u);
    assert.deepEqual(JSON.parse(text), { a: 1, b: 2, took: 1 });
  });

  it('fails with the error of its parts', async (t) => {
    const { written } = await live(
      t,
      (async function* () {
        yield '{';
        throw new Error('a fault');
      })(),
    );
    assert.match(String(await written), /a fault/u);
  });
});
