import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { until } from '../../../test/running/waiting.ts';
import { openPlainUdpChannel } from './plain-udp-channel.ts';
import type { UdpChannel } from './udp-channel.ts';

const peerOn = async (t: TestContext, address: string) => {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  socket.bind(0, address);
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { socket, port: socket.address().port };
};

interface Heard {
  readonly texts: string[];
  readonly errors: string[];
  batches: number;
}

const open = (t: TestContext, address: string, port: number): { channel: UdpChannel; heard: Heard } => {
  const heard: Heard = { texts: [], errors: [], batches: 0 };
  const channel = openPlainUdpChannel(
    { address, port },
    {
      onDatagram: (bytes, start, length) =>
        heard.texts.push(Buffer.from(bytes.subarray(start, start + length)).toString()),
      onBatchEnd: () => {
        heard.batches += 1;
      },
      onUnreachable: (code) => heard.errors.push(code),
    },
  );
  t.after(() => channel.close());
  return { channel, heard };
};

/** What has come so far, once there are so many. */
const arrived = (got: readonly string[], count: number): Promise<true> =>
  until(`${count} datagrams have come`, () => (got.length >= count ? true : undefined));

/**
 * Whatever was sent to the peer before has come when this resolves: loopback delivers in order.
 */
const flushed = async (t: TestContext, got: readonly string[], port: number): Promise<void> => {
  const { socket } = await peerOn(t, '127.0.0.1');
  socket.send('the last one', port, '127.0.0.1');
  await until('the last datagram has come', () => (got.includes('the last one') ? true : undefined));
};

for (const address of ['127.0.0.1', '::1']) {
  test(`datagrams are sent to ${address} from the channel's own port, and replies arrive`, async (t) => {
    const { socket, port } = await peerOn(t, address);
    const ports = new Set<number>();
    socket.on('message', (bytes, from) => {
      ports.add(from.port);
      socket.send(`re: ${bytes.toString()}`, from.port, from.address);
    });
    const { channel, heard } = open(t, address, port);
    const bytes = Buffer.from('xxone');
    assert.equal(channel.send(bytes, 2, 3), true);
    bytes.fill(0);
    channel.flush();
    await arrived(heard.texts, 1);
    channel.send(Buffer.from('two'), 0, 3);
    channel.send(Buffer.from('three'), 0, 5);
    channel.flush();
    await arrived(heard.texts, 3);
    assert.deepEqual(heard.texts, ['re: one', 're: two', 're: three']);
    assert.deepEqual([heard.batches, ports.size, heard.errors], [3, 1, []]);
  });
}

test('queued datagrams are sent by the flush, not before', async (t) => {
  const { socket, port } = await peerOn(t, '127.0.0.1');
  const got: string[] = [];
  socket.on('message', (bytes) => got.push(bytes.toString()));
  const { channel } = open(t, '127.0.0.1', port);
  channel.send(Buffer.from('first'), 0, 5);
  channel.flush();
  await arrived(got, 1);
  channel.send(Buffer.from('second'), 0, 6);
  await flushed(t, got, port);
  assert.deepEqual(got, ['first', 'the last one']);
  channel.flush();
  await arrived(got, 3);
  assert.equal(got[2], 'second');
});

test("a datagram from another port than the peer's is ignored", async (t) => {
  const { socket, port } = await peerOn(t, '127.0.0.1');
  const stranger = (await peerOn(t, '127.0.0.1')).socket;
  socket.on('message', (_, from) => {
    stranger.send('forged', from.port, from.address, () => socket.send('true', from.port, from.address));
  });
  const { channel, heard } = open(t, '127.0.0.1', port);
  channel.send(Buffer.from('?'), 0, 1);
  channel.flush();
  await arrived(heard.texts, 1);
  assert.deepEqual(heard.texts, ['true']);
});

test('a closed port is reported, and a closed channel sends nothing', async (t) => {
  const { socket, port } = await peerOn(t, '127.0.0.1');
  const got: string[] = [];
  socket.on('message', (bytes) => got.push(bytes.toString()));
  const { channel, heard } = open(t, '127.0.0.1', port);
  const gone = createSocket('udp4');
  gone.bind(0, '127.0.0.1');
  await once(gone, 'listening');
  const closedPort = gone.address().port;
  gone.close();
  const refused = open(t, '127.0.0.1', closedPort);
  refused.channel.send(Buffer.from('?'), 0, 1);
  refused.channel.flush();
  await until('the closed port is reported', () => refused.heard.errors[0]);
  assert.deepEqual(refused.heard.errors, ['ECONNREFUSED']);
  channel.close();
  channel.close();
  channel.send(Buffer.from('?'), 0, 1);
  channel.flush();
  await flushed(t, got, port);
  assert.deepEqual([got, heard.errors], [['the last one'], []]);
});

test('a datagram may have 4,096 bytes, and 1,024 may be queued', async (t) => {
  const { socket, port } = await peerOn(t, '127.0.0.1');
  socket.setRecvBufferSize(8_000_000);
  const got: string[] = [];
  socket.on('message', (bytes) => got.push(bytes.toString()));
  const { channel } = open(t, '127.0.0.1', port);
  assert.equal(channel.send(new Uint8Array(4096), 0, 4096), true);
  assert.equal(channel.send(new Uint8Array(4097), 0, 4097), false);
  for (let at = 0; at < 2000; at += 1) channel.send(Uint8Array.of(1), 0, 1);
  channel.flush();
  await arrived(got, 1);
  await flushed(t, got, port);
  assert.ok(got.length <= 1024 + 1, String(got.length));
});
