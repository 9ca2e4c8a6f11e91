import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PushTarget } from '#contract';
import { writeBody, pushTarget } from './flowing-reply.ts';

interface Pushed {
  readonly reply: IncomingMessage;
  readonly target: PushTarget;
}

async function pushed(t: TestContext, lastMs = 1_000): Promise<Pushed> {
  const { promise, resolve } = Promise.withResolvers<PushTarget>();
  const server = createServer((_request, response) => {
    response.flushHeaders();
    resolve(pushTarget(response, lastMs));
  }).listen(0, '127.0.0.1');
  const reply = await request(t, server, 'GET');
  return { reply, target: await promise };
}

async function request(t: TestContext, server: ReturnType<typeof createServer>, method: string) {
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  const sent = get({ port, host: '127.0.0.1', agent: false, method });
  // The first argument of this event is the reply.
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return reply;
}

describe('a reply whose body is pushed', () => {
  it('arrives part by part, and ends with the last bytes', async (t) => {
    const { reply, target } = await pushed(t);
    target.write(Buffer.from('one'));
    const [first] = await once(reply.setEncoding('utf8'), 'data');
    assert.equal(first, 'one');
    const ended = once(reply, 'end');
    let rest = '';
    reply.on('data', (text: string) => (rest += text));
    target.end(Buffer.from('two'));
    await ended;
    assert.equal(rest, 'two');
    target.write(Buffer.from('too late'));
  });

  it('reports the number of unsent bytes, and the disconnect of the client', async (t) => {
    const { reply, target } = await pushed(t);
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    target.onGone(resolve);
    reply.pause();
    const part = Buffer.alloc(1 << 20);
    for (let count = 0; count < 50 && target.waitingBytes() < part.length; count++) {
      target.write(part);
      await sleep(1);
    }
    assert.ok(target.waitingBytes() >= part.length);
    reply.destroy();
    await gone;
    target.write(part);
    target.end(part);
  });

  it('is aborted when the client does not read the last bytes in time', async (t) => {
    const { reply, target } = await pushed(t, 100);
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    target.onGone(resolve);
    reply.pause();
    reply.on('error', () => undefined);
    for (let count = 0; count < 50; count++) target.write(Buffer.alloc(1 << 20));
    target.end(Buffer.from('the end'));
    await gone;
  });

  it('is not started for HEAD', async (t) => {
    const pushedBody = {
      mediaType: 'text/plain',
      start: () => assert.fail('the body of a HEAD request is started'),
    };
    const server = createServer((_request, response) => {
      void writeBody(response, { status: 200, pushed: pushedBody }, () => 0);
    }).listen(0, '127.0.0.1');
    const reply = await request(t, server, 'HEAD');
    await once(reply.resume(), 'end');
    assert.equal(reply.statusCode, 200);
  });
});
