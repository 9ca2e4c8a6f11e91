import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Listening, OpenListener, TcpListener } from '#platform/sockets';
import { dnsAdvice, greetingText, reachableAddresses, urlsOf } from './greeting.ts';

function open(
  setting: string,
  address: string,
  port: number,
  family: TcpListener['family'] = 'both',
): OpenListener {
  return {
    setting,
    listener: { kind: 'tcp', fd: 1, family, address, port, backlog: 511 },
  };
}

describe('the URL of an open socket', () => {
  const [v4, v6] = ['192.0.2.5', '2001:db8::5'];
  const cases: readonly (readonly [
    what: string,
    listener: OpenListener,
    addresses: readonly string[],
    url: string,
  ])[] = [
    ['both families', open('web.http', '::', 80), [v4, v6], 'http://192.0.2.5/'],
    ['both families, a machine with IPv6 alone', open('web.http', '::', 80), [v6], 'http://[2001:db8::5]/'],
    ['all of IPv4', open('web.http', '0.0.0.0', 8080, 'ipv4'), [v4, v6], 'http://192.0.2.5:8080/'],
    [
      'all of IPv4, a machine with IPv6 alone',
      open('web.http', '0.0.0.0', 80, 'ipv4'),
      [v6],
      'http://localhost/',
    ],
    ['all of IPv6', open('web.https', '::', 443, 'ipv6'), [v4, v6], 'https://[2001:db8::5]/'],
    [
      'all of IPv6, a machine with IPv4 alone',
      open('web.http', '::', 8080, 'ipv6'),
      [v4],
      'http://[::1]:8080/',
    ],
    ['one address', open('web.https', '::1', 8443, 'ipv6'), [v4, v6], 'https://[::1]:8443/'],
    ['no address but loopback', open('web.http', '::', 80), [], 'http://localhost/'],
  ];
  for (const [what, listener, addresses, url] of cases) {
    it(`${what}: ${url}`, () =>
      assert.deepEqual(urlsOf({ open: [listener], closed: [], dns: [] }, addresses, ''), [url]));
  }
  it('ends with the base path', () => {
    const urls = urlsOf({ open: [open('web.http', '::', 80)], closed: [], dns: [] }, [], '/sluice');
    assert.deepEqual(urls, ['http://localhost/sluice/']);
  });
});

describe('reachableAddresses', () => {
  const address = (text: string, family: 'IPv4' | 'IPv6', internal = false) => ({
    address: text,
    family,
    internal,
    netmask: '',
    mac: '',
    cidr: null,
    scopeid: 0,
  });
  it('omits loopback and link-local addresses and sorts IPv4 first', () => {
    const interfaces = {
      lo: [address('127.0.0.1', 'IPv4', true)],
      eth0: [address('fe80::1', 'IPv6'), address('2001:db8::1', 'IPv6'), address('192.0.2.5', 'IPv4')],
      eth1: [address('169.254.1.1', 'IPv4')],
    };
    assert.deepEqual(reachableAddresses(interfaces), ['192.0.2.5', '2001:db8::1']);
  });
});

function endpoint(address: string, port: number, isAnswered = true) {
  return {
    address,
    port,
    isAnswered,
    missing: isAnswered ? [] : ['dns1'],
  };
}

describe('the DNS advice for devices', () => {
  const machine = ['192.0.2.5', '2001:db8::1'];
  const table: readonly (readonly [what: string, dns: Listening['dns'], listen: string, advice: string])[] = [
    [
      'several addresses: the first one that other devices reach',
      [endpoint('127.0.0.1', 53), endpoint('2001:db8::1', 53), endpoint('192.0.2.5', 53)],
      '*:53',
      'set its DNS server to 192.0.2.5',
    ],
    [
      'a port other than 53',
      [endpoint('192.0.2.5', 5353)],
      '0.0.0.0:5353',
      'set its DNS server to 192.0.2.5, port 5353',
    ],
    [
      'an open address without a worker is skipped',
      [endpoint('192.0.2.5', 53, false), endpoint('2001:db8::1', 53)],
      '*:53',
      'set its DNS server to 2001:db8::1',
    ],
    [
      'an address of no known interface',
      [endpoint('192.0.2.77', 53)],
      '192.0.2.77:53',
      'set its DNS server to 192.0.2.77',
    ],
    [
      'loopback alone',
      [endpoint('127.0.0.1', 5353)],
      '127.0.0.1:5353',
      'only this machine can use it, at 127.0.0.1, port 5353; set dns.listen for others',
    ],
    ['nothing open', [], '*:53', 'DNS is not answered: dns.listen (*:53) is not open yet'],
    [
      'open, but not read by a worker',
      [endpoint('192.0.2.5', 53, false)],
      '*:53',
      'DNS is not answered: dns.listen (*:53) is not open yet',
    ],
    ['switched off', [], '', 'DNS is off (dns.listen is empty)'],
  ];
  for (const [what, dns, listen, advice] of table)
    it(`${what}: ${advice}`, () => assert.equal(dnsAdvice(machine, dns, listen), advice));
});

describe('the greeting', () => {
  const greeting = {
    version: '1.0.0',
    urls: ['http://192.0.2.5/', 'https://192.0.2.5/'],
    password: 'abcde-fghij',
    dataDir: '/var/lib/sluice',
    closed: ['web.http: cannot listen on *:80: the port is taken by another program'],
    dns: dnsAdvice(['192.0.2.5'], [endpoint('192.0.2.5', 5300)], '*:5300'),
    caFile: '/var/lib/sluice/tls/ca.crt',
    replaced: ['dns.listen is *:5300, because its default port is not free'],
  };
  const needed = [
    'http://192.0.2.5/',
    'https://192.0.2.5/',
    'abcde-fghij',
    'sluice password',
    '/var/lib/sluice',
    '192.0.2.5, port 5300',
    'tls/ca.crt',
    'is not free',
    'the port is taken',
  ];
  for (const text of needed) it(`contains ${text}`, () => assert.ok(greetingText(greeting).includes(text)));
  it('has no URL when no web address is open', () => {
    const text = greetingText({ ...greeting, urls: [] });
    assert.doesNotMatch(text, /https?:\/\//u);
    assert.match(text, /the web interface is not open/u);
  });
  it('does not mention a generated password when there is none', () => {
    assert.ok(!greetingText({ ...greeting, password: undefined }).includes('shown only now'));
  });
});
