// Sends what no correct client or upstream sends: random bytes, mutated queries, bad TCP frames, incomplete
// messages, and mutated replies from an upstream. Valid queries in between must be answered, and no thread
// may die. All bytes are derived from the seed.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';

import { decode, encode, RECURSION_DESIRED } from 'dns-packet';

import { query } from '../../running/dns-load.ts';
import { sendQueryWithRetries } from '../../running/dns-service.ts';
import { seeded } from '../../running/seeded.ts';
import { runQuery } from './clients.ts';
import { assertNoThreadDied, bootDns, portOf } from './service.ts';

/** Few enough that the socket buffer still has room for a valid query between two batches. */
const batchSize = 100;
const ok = 0;
/** The default of dns.cache.maxTTL. */
const maxTtlSeconds = 86_400;
const { seed, random } = seeded();

const below = (end: number): number => Math.floor(random() * end);

const withOptions = encode({
  type: 'query',
  id: 1,
  flags: RECURSION_DESIRED,
  questions: [{ type: 'AAAA', name: 'some.long.name.example.org' }],
  additionals: [
    {
      type: 'OPT',
      name: '.',
      udpPayloadSize: 1232,
      extendedRcode: 0,
      ednsVersion: 0,
      flags: 0x8000,
      flag_do: true,
      options: [
        // The client's subnet, and padding.
        { code: 8, ip: '192.0.2.0', sourcePrefixLength: 24 },
        { code: 12, length: 12 },
      ],
    },
  ],
});
const models = [query(7, 'nas.lan'), query(7, 'x.nas.lan'), query(7, 'a.example'), withOptions];

/** Changes a few bytes; sometimes also truncates or extends the message. */
const mutate = (model: Buffer): Buffer => {
  const bytes = Buffer.from(model);
  for (let times = 1 + below(4); times > 0; times--) bytes[below(bytes.length)] = below(256);
  const kind = below(4);
  if (kind === 0) return bytes.subarray(0, below(bytes.length));
  return kind === 1 ? Buffer.concat([bytes, randomBytes(below(40))]) : bytes;
};

const randomBytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => below(256)));

const anyGarbage = (): Buffer =>
  below(4) === 0 ? randomBytes(below(600)) : mutate(models[below(models.length)] ?? withOptions);

const sendDatagrams = async (port: number, datagrams: number): Promise<void> => {
  const socket = createSocket('udp4');
  socket.on('message', () => undefined);
  for (let sent = 0; sent < datagrams; sent += batchSize) {
    for (let count = 0; count < batchSize; count++) socket.send(anyGarbage(), port, '127.0.0.1');
    assert.equal(await sendQueryWithRetries(port, 'nas.lan'), ok, `After ${sent} datagrams; seed ${seed}.`);
  }
  socket.close();
};

const framed = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length]), bytes]);

/** Frames with a wrong length, empty or truncated frames, and correct frames with invalid content. */
const badFrames = (): Buffer => {
  const frames = [
    framed(Buffer.alloc(0)),
    framed(anyGarbage()),
    Buffer.concat([Buffer.from([255, 255]), anyGarbage()]),
    framed(query(7, 'nas.lan')).subarray(0, 10),
    Buffer.from([0]),
    Buffer.from('GET / HTTP/1.1\r\nHost: dns\r\n\r\n'),
    randomBytes(3_000),
  ];
  return Buffer.concat(
    Array.from({ length: 1 + below(5) }, () => frames[below(frames.length)] ?? Buffer.alloc(0)),
  );
};

const sendFrames = async (port: number, connections: number): Promise<void> => {
  for (let count = 0; count < connections; count++) {
    const socket = connect(port, '127.0.0.1');
    // The service may close the connection at any time.
    socket.on('error', () => undefined).on('data', () => undefined);
    await once(socket, 'connect');
    await new Promise((resolve) => socket.write(badFrames(), resolve));
    if (below(2) === 0) socket.resetAndDestroy();
    else socket.destroy();
  }
};

/** An upstream that answers every query with a mutated answer. */
const startHostileUpstream = async (t: TestContext): Promise<number> => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  socket.on('message', (asked, { port, address }) => {
    const reply = Buffer.from(asked);
    reply[2] = 0x81;
    reply[3] = 0x80;
    const answer = Buffer.concat([
      reply,
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]),
    ]);
    answer[7] = 1;
    const mutated = mutate(answer);
    // Usually the id is kept, because the service drops replies with another id unread.
    if (mutated.length > 1 && below(8) > 0) asked.copy(mutated, 0, 0, 2);
    socket.send(mutated, port, address);
  });
  await once(socket, 'listening');
  t.after(() => socket.close());
  return socket.address().port;
};

/** Another codec can decode the answer, and all its records belong to the queried name. */
const assertSound = (answer: Buffer): void => {
  const { questions = [], answers = [] } = decode(answer);
  const owners = answers.map(({ name }) => name.toLowerCase());
  const asked = questions.map(({ name }) => name.toLowerCase());
  const foreign = owners.filter((owner) => !asked.includes(owner));
  const overlong = answers.filter((one) => 'ttl' in one && (one.ttl ?? 0) > maxTtlSeconds);
  assert.deepEqual([foreign, overlong], [[], []], `seed ${seed}: ${answer.toString('hex')}`);
};

/** Queries names that only the hostile upstream answers, and a valid local name after each batch. */
const queryHostileUpstream = async (port: number, queries: number): Promise<void> => {
  const socket = createSocket('udp4');
  const received: Buffer[] = [];
  socket.on('message', (answer) => received.push(answer));
  for (let sent = 0; sent < queries; sent += batchSize) {
    for (let id = sent; id < sent + batchSize; id++)
      socket.send(query(id, `n${id}.example`), port, '127.0.0.1');
    assert.equal(await sendQueryWithRetries(port, 'nas.lan'), ok, `After ${sent} queries; seed ${seed}.`);
  }
  socket.close();
  for (const answer of received) assertSound(answer);
};

export type Amounts = {
  readonly workers: number;
  readonly datagrams: number;
  readonly connections: number;
  readonly queries: number;
};

export function testGarbage({ workers, datagrams, connections, queries }: Amounts): void {
  test(`a service with ${workers} dns workers that receives garbage (seed ${seed})`, async (t) => {
    const upstreamPort = await startHostileUpstream(t);
    const service = await bootDns(t, {
      env: {
        SLUICE_DNS_WORKERS: String(workers),
        SLUICE_DNS_HOSTS: '192.0.2.7 nas.lan',
        SLUICE_DNS_UPSTREAMS: `127.0.0.1#${upstreamPort}`,
      },
    });
    const port = await portOf(service);

    await t.test(`answers valid queries between ${datagrams} datagrams of garbage`, () =>
      sendDatagrams(port, datagrams),
    );
    await t.test(`answers over TCP after ${connections} connections with bad frames`, async () => {
      await sendFrames(port, connections);
      const overTcp = await runQuery('kdig', { address: '127.0.0.1', port, options: ['+tcp'] }, 'nas.lan A');
      assert.deepEqual(overTcp.answer, ['nas.lan. 60 IN A 192.0.2.7']);
    });
    await t.test(`answers local names between ${queries} queries to an upstream that sends garbage`, () =>
      queryHostileUpstream(port, queries),
    );
    await t.test('has lost no thread afterwards', () => assertNoThreadDied(service));
  });
}
