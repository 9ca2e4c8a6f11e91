// The socket to an upstream, by batches and by node:dgram, against a real server: bursts in both directions,
// a peer that is not there, a socket that is closed while its replies are read.

import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import test, { type TestContext } from 'node:test';
import {
  batchedUdpChannels,
  BlackBox,
  type Culprit,
  makeBlackBox,
  openPlainUdpChannel,
  type OpenUdpChannel,
  reportReply,
  type UdpChannel,
  type UdpChannelEvents,
} from '#engine';
import { loadDatagrams } from './datagrams.ts';
import { loadLibc } from '#platform/sockets';

const datagrams = loadDatagrams(loadLibc());

const ways: (readonly [string, () => OpenUdpChannel])[] = [['node:dgram', () => openPlainUdpChannel]];
if (datagrams !== undefined) {
  ways.push(['batches', () => batchedUdpChannels(datagrams, new BlackBox(makeBlackBox(0)))]);
}

for (const [name, make] of ways) {
  for (const host of ['127.0.0.1', '::1']) {
    test(`150 queries at once and 150 replies, ${name}, ${host}`, async (context) => {
      const server = await openServer(context, host);
      server.socket.on('message', (bytes, from) => server.socket.send(bytes, from.port, from.address));
      const replies: string[] = [];
      let batches = 0;
      const channel = open(context, make(), host, server.port, {
        onDatagram: (bytes, start, length) =>
          replies.push(Buffer.from(bytes).toString('utf8', start, start + length)),
        onBatchEnd: () => (batches += 1),
        onUnreachable: (code) => assert.fail(code),
      });
      const queries = Array.from({ length: 150 }, (_, index) => `query ${index}`);
      for (const query of queries) assert.ok(channel.send(Buffer.from(`..${query}`), 2, query.length));
      channel.flush();
      await until(() => replies.length === queries.length);
      assert.deepEqual(replies.toSorted(), queries.toSorted());
      assert.ok(batches > 0 && batches <= queries.length);
    });
  }

  test(`a missing peer is reported as unreachable, ${name}`, async (context) => {
    const server = await openServer(context, '127.0.0.1');
    server.close();
    const codes: string[] = [];
    const channel = open(context, make(), '127.0.0.1', server.port, {
      onDatagram: () => assert.fail(),
      onBatchEnd: () => undefined,
      onUnreachable: (code) => codes.push(code),
    });
    channel.send(Buffer.from('query'), 0, 5);
    channel.flush();
    await until(() => codes.length > 0);
    assert.equal(codes[0], 'ECONNREFUSED');
  });

  test(`a channel closed by its first reply reads no other, ${name}`, async (context) => {
    const server = await openServer(context, '127.0.0.1');
    server.socket.on('message', (_bytes, from) => {
      for (let index = 0; index < 10; index += 1) server.socket.send('reply', from.port, from.address);
    });
    let replies = 0;
    const channel = open(context, make(), '127.0.0.1', server.port, {
      onDatagram: () => {
        replies += 1;
        channel.close();
        channel.send(Buffer.from('late'), 0, 4);
        channel.flush();
      },
      onBatchEnd: () => undefined,
      onUnreachable: (code) => assert.fail(code),
    });
    channel.send(Buffer.from('query'), 0, 5);
    channel.flush();
    await until(() => replies > 0);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    assert.equal(replies, 1);
  });
}

test(
  'a reply that kills the worker is reported to the successor',
  { skip: datagrams === undefined },
  async (context) => {
    assert.ok(datagrams);
    const server = await openServer(context, '127.0.0.1');
    const box = makeBlackBox(0);
    const read = Promise.withResolvers<void>();
    const channel = open(
      context,
      batchedUdpChannels(datagrams, new BlackBox(box)),
      '127.0.0.1',
      server.port,
      {
        onDatagram: () => {
          // What the successor would find if the thread died here.
          const culprits: Culprit[] = [];
          const copy = new SharedArrayBuffer(box.byteLength);
          new Uint8Array(copy).set(new Uint8Array(box));
          reportReply(new BlackBox(copy), (culprit) => culprits.push(culprit));
          assert.deepEqual(culprits, [
            { during: 'reply', client: '127.0.0.1', clientPort: server.port, packet: '706f69736f6e' },
          ]);
          reportReply(new BlackBox(copy), () => assert.fail('reported twice'));
          read.resolve();
        },
        onBatchEnd: () => undefined,
        onUnreachable: (code) => assert.fail(code),
      },
    );
    server.socket.once('message', (_bytes, from) => server.socket.send('poison', from.port, from.address));
    channel.send(Buffer.from('query'), 0, 5);
    channel.flush();
    await read.promise;
    reportReply(new BlackBox(box), () => assert.fail('the thread lives'));
  },
);

test('a datagram that fits no slot is refused', { skip: datagrams === undefined }, async (context) => {
  assert.ok(datagrams);
  const server = await openServer(context, '127.0.0.1');
  const make = batchedUdpChannels(datagrams, new BlackBox(makeBlackBox(0)));
  const channel = open(context, make, '127.0.0.1', server.port, {
    onDatagram: () => undefined,
    onBatchEnd: () => undefined,
    onUnreachable: () => undefined,
  });
  assert.equal(channel.send(new Uint8Array(512), 0, 512), true);
  assert.equal(channel.send(new Uint8Array(513), 0, 513), false);
});

function open(
  context: TestContext,
  make: OpenUdpChannel,
  address: string,
  port: number,
  events: UdpChannelEvents,
): UdpChannel {
  const channel = make({ address, port }, events);
  context.after(() => channel.close());
  return channel;
}

async function openServer(
  context: TestContext,
  host: string,
): Promise<{ socket: Socket; port: number; close(): void }> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4').bind(0, host);
  await once(socket, 'listening');
  let isOpen = true;
  const close = () => {
    if (isOpen) socket.close();
    isOpen = false;
  };
  context.after(close);
  return { socket, port: socket.address().port, close };
}

async function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 2);
  await promise;
}

async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000 && !holds(); turn += 1) await nextTurn();
  assert.ok(holds());
}
