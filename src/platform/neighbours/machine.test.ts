import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  domainOfHost,
  parseResolvers,
  parseRouters,
  parseRouters6,
  parseSearchDomains,
  readMachine,
} from './machine.ts';

describe('the machine', () => {
  const resolvConfs: readonly [string, readonly string[]][] = [
    ['', []],
    ['nameserver 192.0.2.1\nnameserver 2001:db8::1\n', ['192.0.2.1', '2001:db8::1']],
    ['# nameserver 192.0.2.1\n;nameserver 192.0.2.2\nsearch lan\n', []],
    ['  nameserver\t192.0.2.1 # comment\nnameserver 192.0.2.1\n', ['192.0.2.1']],
    ['nameserver fe80::1%eth0\nnameserver router.lan\n', ['fe80::1%eth0']],
  ];
  for (const [text, resolvers] of resolvConfs) {
    it(`has the resolvers of ${JSON.stringify(text)}`, () =>
      assert.deepEqual(parseResolvers(text), resolvers));
  }

  const searches: readonly [string, readonly string[]][] = [
    ['nameserver 192.0.2.1\n', []],
    ['search example.lan speedport.ip\n', ['example.lan', 'speedport.ip']],
    ['domain first.example\nsearch last.example.\n', ['last.example']],
    ['#search a.example\n search\tb.example\n', ['b.example']],
    ['search .\n', []],
  ];
  for (const [text, domains] of searches) {
    it(`has the search domains of ${JSON.stringify(text)}`, () =>
      assert.deepEqual(parseSearchDomains(text), domains));
  }

  const hostNames: readonly [string, readonly string[]][] = [
    ['box', []],
    ['box.example', []],
    ['box.example.net.', ['example.net']],
    ['box.a.example.net', ['a.example.net']],
  ];
  for (const [name, domains] of hostNames) {
    it(`is in ${domains.join() || 'no domain'} as ${name}`, () =>
      assert.deepEqual(domainOfHost(name), domains));
  }

  it('has the routers of the IPv4 routing table', () => {
    const table = [
      'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask',
      'eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000',
      'eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF',
      'eth1\t00000000\t0101A8C0\t0002\t0\t0\t0\t00000000',
    ].join('\n');
    assert.deepEqual(parseRouters(table), ['192.0.2.1']);
  });

  it('has the routers of the IPv6 routing table', () => {
    const zero = '0'.repeat(32);
    const row = (gateway: string, flags: string) =>
      `${zero} 00 ${zero} 00 ${gateway} 00000400 00000001 00000000 ${flags} eth0`;
    const router = 'fe800000000000000000000000000001';
    assert.deepEqual(parseRouters6([row(router, '00000003'), row(zero, '00000001')].join('\n')), ['fe80::1']);
    assert.deepEqual(parseRouters6(row(router, '00000002')), []);
  });

  it('lists loopback among all addresses, but not among those that others use', () => {
    const machine = readMachine();
    assert.ok(machine.allAddresses.includes('127.0.0.1'));
    assert.ok(!machine.addresses.includes('127.0.0.1'));
    assert.ok(machine.subnets.includes('127.0.0.1/8'));
  });
});
