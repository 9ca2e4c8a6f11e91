// The scope of addresses at the edges of each network, and of IPv4 addresses embedded in IPv6 in every form.

import assert from 'node:assert/strict';
import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';
import { describe, it } from 'node:test';
import { scopeOf, type AddressScope } from './address-scope.ts';

const addresses: Readonly<Record<AddressScope, readonly string[]>> = {
  local: [
    '127.0.0.0 127.0.0.1 127.255.255.255 0.0.0.0 0.255.255.255 169.254.0.0 169.254.169.254 169.254.255.255',
    '224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 fe80::1 fe80::1%eth0 febf::1 ff02::1 not-an-address',
    '::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:169.254.169.254 64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe 2002:7f00:1::1 2002:a9fe:a9fe::',
    // IPv4-translated (RFC 2765), and NAT64 for local use behind 96, 64, 56 and 48 bits (RFC 8215, RFC 6052).
    '::ffff:0:127.0.0.1 ::ffff:0:a9fe:a9fe 64:ff9b:1::127.0.0.1 64:ff9b:1::169.254.169.254 64:ff9b:1::1',
    '64:ff9b:1:0:7f:0:100:0 64:ff9b:1:7f:0:1:: 64:ff9b:1:7f00:0:100::',
    // Teredo: loopback as the server; 127.0.0.1 and 169.254.169.254 as the client, with inverted bits.
    '2001:0:7f00:1::1 2001:0:808:808:0:0:80ff:fffe 2001:0:808:808:0:0:5601:5601 2001::1',
  ],
  private: [
    '10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255 100.64.0.0',
    '100.127.255.255 192.0.0.192 198.18.0.0 198.19.255.255 fc00:: fd00:ec2::254 fdff::1 fec0::1 feff::1',
    '::10.0.0.1 ::ffff:192.168.1.1 ::ffff:c0a8:101 64:ff9b::10.0.0.1 2002:c0a8:101::1 2002:a00:1::',
    '::ffff:0:10.0.0.1 64:ff9b:1::192.168.1.1 2001:0:a00:1:0:0:f7f7:f7f7 2001:0:808:808:0:0:3f57:fefe',
    // Through a translator or relay of unknown reach: private even when the embedded address is public.
    '64:ff9b:1::8.8.8.8 2001:0:808:808:0:0:f7f7:f7f7',
  ],
  public: [
    '9.255.255.255 11.0.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0',
    '192.167.255.255 192.169.0.0 100.63.255.255 100.128.0.0 192.0.1.0 198.17.255.255 198.20.0.0',
    '223.255.255.255 2001:db8::1 2606:4700::1111 2001:1::1 64:ff9b::8.8.8.8 ::ffff:8.8.8.8 2002:808:808::1',
    'fbff::1 64:ff9b:2::1 ::ffff:0:8.8.8.8 ::ffff:1:127.0.0.1 64:ff9b::1:127.0.0.1',
  ],
};

describe('the scope of an address', () => {
  for (const [scope, lines] of Object.entries(addresses))
    for (const address of lines.flatMap((line) => line.split(' ')))
      it(`${address} is ${scope}`, () => assert.equal(scopeOf(address, {}), scope));
});

describe('the scope of an address of this machine', () => {
  const card = (address: string, family: 'IPv4' | 'IPv6'): NetworkInterfaceInfo => ({
    address,
    netmask: '',
    mac: '',
    internal: false,
    cidr: null,
    ...(family === 'IPv4' ? { family } : { family, scopeid: 0 }),
  });
  const interfaces = { eth0: [card('203.0.113.7', 'IPv4')], eth1: [card('2001:db8::7', 'IPv6')] };
  const own =
    '203.0.113.7 2001:db8::7 2001:db8:0:0::7 2001:db8::7%eth1 ::ffff:203.0.113.7 ::ffff:0:203.0.113.7 ' +
    '64:ff9b::cb00:7107 2002:cb00:7107::1 64:ff9b:1::cb00:7107 2001:0:808:808:0:0:34ff:8ef8';
  for (const address of own.split(' '))
    it(`${address} is local`, () => assert.equal(scopeOf(address, interfaces), 'local'));
  for (const address of ['203.0.113.8', '2001:db8::8', '::ffff:203.0.113.8'])
    it(`${address}, of another machine, is public`, () =>
      assert.equal(scopeOf(address, interfaces), 'public'));

  it('is local for every address of the real network interfaces', () => {
    const found = Object.values(networkInterfaces()).flatMap((one = []) => one);
    for (const { address } of found) assert.equal(scopeOf(address), 'local', address);
  });
});
