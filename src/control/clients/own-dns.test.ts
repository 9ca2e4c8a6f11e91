// Reverse lookups against a real socket that answers as it is told.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { decode, encode } from 'dns-packet';
import type { NameOutcome } from '#engine';
import { askOwnDns, type DnsPlace } from './own-dns.ts';

const address = Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 7]);

const startServer = async (
  t: TestContext,
  rcode: number,
  names: readonly string[],
  onQuestion: (name: string | undefined) => void = () => undefined,
): Promise<DnsPlace> => {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, peer) => {
    const { id, questions = [] } = decode(bytes);
    onQuestion(questions[0]?.name);
    const answers = names.map((data) => ({
      type: 'PTR' as const,
      name: questions[0]?.name ?? '',
      ttl: 60,
      data,
    }));
    socket.send(
      encode({ type: 'response', id, flags: 0x100 | rcode, questions, answers }),
      peer.port,
      peer.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { address: '127.0.0.1', port: socket.address().port };
};

const lookUp = (places: readonly DnsPlace[]): Promise<NameOutcome> =>
  new Promise((done) => askOwnDns(() => places)(address, done));

describe('the name of an address, asked of our own DNS', () => {
  const cases: readonly (readonly [string, number, readonly string[], NameOutcome])[] = [
    ['is told', 0, ['Tablet.LAN'], { isFound: true, name: 'tablet.lan' }],
    ['is the first of several', 0, ['a.lan', 'b.lan'], { isFound: true, name: 'a.lan' }],
    [
      'is one that a host may have',
      0,
      ['a,b.lan', 'x\u001b[2J.lan', 'ok.lan'],
      { isFound: true, name: 'ok.lan' },
    ],
    ['is none', 3, [], { isFound: true, name: undefined }],
    ['is none of this kind', 0, [], { isFound: true, name: undefined }],
    ['cannot be told', 2, [], { isFound: false }],
  ];
  for (const [title, rcode, names, expected] of cases)
    it(title, async (t) => {
      const place = await startServer(t, rcode, names);
      const elsewhere = { address: '192.0.2.99', port: 9 };
      assert.deepEqual(await lookUp([elsewhere, place]), expected);
    });

  const reverseNames: readonly (readonly [Uint8Array, string])[] = [
    [address, '7.0.0.10.in-addr.arpa'],
    [
      Uint8Array.from([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x12, 0x34]),
      '4.3.2.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa',
    ],
  ];
  for (const [bytes, name] of reverseNames)
    it(`is asked for as ${name}`, async (t) => {
      const asked: (string | undefined)[] = [];
      const place = await startServer(t, 3, [], (question) => asked.push(question));
      await new Promise((told) => askOwnDns(() => [place])(bytes, told));
      assert.deepEqual(asked, [name]);
    });

  it('is known of this machine itself, without asking', async () => {
    for (const bytes of [
      [...address.slice(0, 12), 127, 0, 0, 9],
      [...new Uint8Array(15), 1],
    ]) {
      const told = new Promise((done) => askOwnDns(() => [])(Uint8Array.from(bytes), done));
      assert.deepEqual(await told, { isFound: true, name: 'localhost' });
    }
  });

  it('is not asked for while DNS is off, nor of what is no address', async () => {
    assert.deepEqual(await lookUp([]), { isFound: false });
    assert.deepEqual(await lookUp([{ address: 'nonsense', port: 53 }]), { isFound: false });
  });
});
