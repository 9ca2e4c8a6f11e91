// A hostile upstream and two dns workers: clients send queries from many ports, so that both workers get each
// kind of reply. A malformed reply becomes SERVFAIL, because there is no other upstream; records that were
// not queried are dropped.

import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import {
  decode,
  encode,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  type Answer,
  type DecodedPacket,
} from 'dns-packet';

import { query } from '../running/dns-load.ts';
import { assertNoThreadDied, bootDns, portOf } from './support/service.ts';

/** Each query comes from another port, because the port selects the worker. */
const clients = 24;
const flags = RECURSION_DESIRED | RECURSION_AVAILABLE;
const servFail = 2;

type Lie = (asked: DecodedPacket, name: string) => Buffer;

const address = (name: string, data: string, ttl = 60): Answer => ({ type: 'A', name, ttl, data });

const sections =
  (made: (name: string) => { answers?: Answer[]; authorities?: Answer[]; additionals?: Answer[] }): Lie =>
  ({ id, questions }, name) =>
    encode({ type: 'response', id, flags, questions, ...made(name) });

/** The owner of the single answer is a pointer to this offset, relative to the record. */
const pointing =
  (from: (recordAt: number) => number): Lie =>
  (asked, name) => {
    const whole = sections(() => ({ answers: [address(name, '192.0.2.1')] }))(asked, name);
    const recordAt = whole.length - 14 - (name.length + 2);
    const pointer = Buffer.alloc(2);
    pointer.writeUInt16BE(0xc000 | from(recordAt));
    return Buffer.concat([whole.subarray(0, recordAt), pointer, whole.subarray(whole.length - 14)]);
  };

const lies: Readonly<Record<string, Lie>> = {
  loop: pointing((recordAt) => recordAt),
  forward: pointing((recordAt) => recordAt + 2),
  beyond: pointing(() => 0x3fff),
  foreign: sections((name) => ({
    answers: [address('www.bank.test', '203.0.113.6'), address(name, '192.0.2.1')],
    authorities: [{ type: 'NS', name: 'bank.test', ttl: 60, data: 'ns.evil.test' }],
    additionals: [address('ns.evil.test', '203.0.113.6')],
  })),
  other: sections(() => ({ answers: [address('www.bank.test', '203.0.113.6')] })),
  root: sections((name) => ({
    answers: [address(name, '192.0.2.1')],
    authorities: [{ type: 'NS', name: '.', ttl: 60, data: 'www.bank.test' }],
    additionals: [address('www.bank.test', '203.0.113.6')],
  })),
  ttl: sections((name) => ({ answers: [address(name, '192.0.2.1', 0xffffffff)] })),
  glue: sections((name) => ({
    answers: [address(name, '192.0.2.1')],
    additionals: [address(`ns.${name}`, '192.168.1.1')],
  })),
};

/** The first label of a name selects the hostile reply. */
const startHostileUpstream = async (t: TestContext): Promise<number> => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  socket.on('message', (bytes, { port, address: from }) => {
    const asked = decode(bytes);
    const name = asked.questions?.[0]?.name ?? '';
    const lie = lies[/^[a-z]+/u.exec(name.toLowerCase())?.[0] ?? ''] ?? sections(() => ({}));
    socket.send(lie(asked, name), port, from);
  });
  await once(socket, 'listening');
  t.after(() => socket.close());
  return socket.address().port;
};

const askFrom = async (socket: Socket, port: number, name: string): Promise<DecodedPacket> => {
  // Connected, so that this socket gets no late answer to a previous user of its port.
  socket.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const answered = once(socket, 'message', { signal: AbortSignal.timeout(20_000) });
  socket.send(query(7, name));
  const [answer]: Buffer[] = await answered;
  return decode(answer ?? Buffer.alloc(0));
};

/** Queries the same kind of name once from each port. */
const answersTo = (port: number, kind: string): Promise<DecodedPacket[]> =>
  Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const socket = createSocket('udp4');
      try {
        return await askFrom(socket, port, `${kind}${client}.example`);
      } finally {
        socket.close();
      }
    }),
  );

const rcodeIn = ({ flags: bits = 0 }: DecodedPacket): number => bits & 15;

const recordsIn = ({ answers = [], authorities = [], additionals = [] }: DecodedPacket): string[] =>
  [...answers, ...authorities, ...additionals].flatMap((one) =>
    one.type === 'A'
      ? [`${one.name.replace(/\d+/u, '')} ${one.ttl} ${one.data}`]
      : one.type === 'OPT'
        ? []
        : [one.type],
  );

/** A failure shows the whole answer: its Extended DNS Error says how the service judged the reply. */
const assertAnswer = (answer: DecodedPacket, rcode: number, records: readonly string[]): void => {
  const found = [rcodeIn(answer), recordsIn(answer)];
  if (!isDeepStrictEqual(found, [rcode, records]))
    assert.fail(`expected ${rcode} and [${records.join()}], not ${JSON.stringify(answer)}`);
};

test('two dns workers with a hostile upstream:', async (t) => {
  const liar = await startHostileUpstream(t);
  const service = await bootDns(t, {
    env: { SLUICE_DNS_WORKERS: '2', SLUICE_DNS_UPSTREAMS: `127.0.0.1#${liar}` },
  });
  const port = await portOf(service);

  for (const [kind, what] of [
    ['loop', 'a pointer to itself'],
    ['forward', 'a pointer forward'],
    ['beyond', 'a pointer beyond the end'],
    ['other', 'answers for another name only'],
  ] as const)
    await t.test(`a reply with ${what} becomes SERVFAIL`, async () => {
      for (const answer of await answersTo(port, kind)) assertAnswer(answer, servFail, []);
    });

  for (const [kind, what, ttl] of [
    ['foreign', 'records of foreign names loses these', 60],
    ['ttl', 'a TTL of 2^32 - 1 has the TTL 0', 0],
    ['glue', 'a private additional address loses it', 60],
  ] as const)
    await t.test(`a reply with ${what}`, async () => {
      for (const answer of await answersTo(port, kind))
        assertAnswer(answer, 0, [`${kind}.example ${ttl} 192.0.2.1`]);
    });

  await t.test('a reply that claims authority for the root adds no addresses of other names', async () => {
    for (const answer of await answersTo(port, 'root'))
      assertAnswer(answer, 0, ['root.example 60 192.0.2.1', 'NS']);
  });

  await t.test('no thread has died', () => assertNoThreadDied(service));
});
