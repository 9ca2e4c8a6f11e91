import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OpenListener, TcpListener } from '#platform/sockets';
import { reachableAddresses, urlsOf } from './own-addresses.ts';

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
    it(`${what}: ${url}`, () => assert.deepEqual(urlsOf({ open: [listener] }, addresses, ''), [url]));
  }
  it('ends with the base path', () => {
    const urls = urlsOf({ open: [open('web.http', '::', 80)] }, [], '/sluice');
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
