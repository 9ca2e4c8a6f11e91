// Reverse lookups at a DNS server on a real socket.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { decode, encode } from 'dns-packet';
import type { NameOutcome } from '#engine';
import { lookUpInOwnDns, type DnsServer } from './own-dns.ts';

const address = Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 7]);

async function startServer(
  t: TestContext,
  rcode: number,
  names: readonly string[],
  onQuestion: (name: string | undefined) => void = () => undefined,
): Promise<DnsServer> {
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
}

function lookUp(servers: readonly DnsServer[]): Promise<NameOutcome> {
  return new Promise((done) => lookUpInOwnDns(() => servers)(address, done));
}

describe("the name of an address from Sluice's DNS", () => {
  const cases: readonly (readonly [string, number, readonly string[], NameOutcome])[] = [
    ['is returned in lower case', 0, ['Tablet.LAN'], { isFound: true, name: 'tablet.lan' }],
    ['is the first of several names', 0, ['a.lan', 'b.lan'], { isFound: true, name: 'a.lan' }],
    [
      'is the first valid host name',
      0,
      ['a,b.lan', 'x\u001b[2J.lan', 'ok.lan'],
      { isFound: true, name: 'ok.lan' },
    ],
    ['is undefined after NXDOMAIN', 3, [], { isFound: true, name: undefined }],
    ['is undefined without PTR records', 0, [], { isFound: true, name: undefined }],
    ['is not found after SERVFAIL', 2, [], { isFound: false }],
  ];
  for (const [title, rcode, names, expected] of cases)
    it(title, async (t) => {
      const server = await startServer(t, rcode, names);
      const elsewhere = { address: '192.0.2.99', port: 9 };
      assert.deepEqual(await lookUp([elsewhere, server]), expected);
    });

  const reverseNames: readonly (readonly [Uint8Array, string])[] = [
    [address, '7.0.0.10.in-addr.arpa'],
    [
      Uint8Array.from([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x12, 0x34]),
      '4.3.2.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa',
    ],
  ];
  for (const [bytes, name] of reverseNames)
    it(`is queried as ${name}`, async (t) => {
      const queried: (string | undefined)[] = [];
      const server = await startServer(t, 3, [], (question) => queried.push(question));
      await new Promise((done) => lookUpInOwnDns(() => [server])(bytes, done));
      assert.deepEqual(queried, [name]);
    });

  it('is localhost for loopback addresses, without a query', async () => {
    for (const bytes of [
      [...address.slice(0, 12), 127, 0, 0, 9],
      [...new Uint8Array(15), 1],
    ]) {
      const outcome = new Promise((done) => lookUpInOwnDns(() => [])(Uint8Array.from(bytes), done));
      assert.deepEqual(await outcome, { isFound: true, name: 'localhost' });
    }
  });

  it('is not found while DNS is off, or when the listening address is invalid', async () => {
    assert.deepEqual(await lookUp([]), { isFound: false });
    assert.deepEqual(await lookUp([{ address: 'nonsense', port: 53 }]), { isFound: false });
  });
});
