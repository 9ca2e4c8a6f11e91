// The texts of listen addresses, by table and by property: accepted addresses are canonical, unchanged by a
// round trip, and accepted by ipaddr.js, as by every other parser.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from '../../test/running/properties.ts';
import ipaddr from 'ipaddr.js';
import { formatListenAddress, type ListenAddress, parseListenAddresses } from './listen-address.ts';
import { limits } from './limits.ts';

const { listenAddresses: maxListenAddresses, listenTextLength: maxListenTextLength } = limits;

const accepted: readonly (readonly [text: string, canonical: readonly string[]])[] = [
  ['', []],
  ['  ', []],
  ['127.0.0.1:80', ['127.0.0.1:80']],
  [' 127.0.0.1:80 , [::1]:80 ', ['127.0.0.1:80', '[::1]:80']],
  ['*:53', ['*:53']],
  ['*:0, *:0', ['*:0', '*:0']],
  ['[0:0:0:0:0:0:0:1]:65535', ['[::1]:65535']],
  ['[FE80::1%eth0]:53', ['[fe80::1%eth0]:53']],
  ['[fe80::1%br-lan.100]:53', ['[fe80::1%br-lan.100]:53']],
  ['[fe80::1%eth0]:53,[fe80::1%eth1]:53', ['[fe80::1%eth0]:53', '[fe80::1%eth1]:53']],
  ['0.0.0.0:80,[::]:80', ['0.0.0.0:80', '[::]:80']],
  ['*:80,*:443', ['*:80', '*:443']],
  ['[64:ff9b::192.0.2.1]:1', ['[64:ff9b::c000:201]:1']],
];

for (const [text, canonical] of accepted) {
  test(`accepts ${JSON.stringify(text)}`, () => {
    assert.deepEqual(parsed(text).map(formatListenAddress), canonical);
  });
}

const refused: readonly (readonly [text: string, problem: RegExp])[] = [
  ['localhost:80', /^"localhost:80": this is not an IP address .* for example 127\.0\.0\.1:80/u],
  ['127.0.0.1', /^"127\.0\.0\.1" has no port/u],
  ['[::1]', /^"\[::1\]" has no port/u],
  ['127.0.0.1:', /^"127\.0\.0\.1:": the port must be a number from 1 to 65535, or 0/u],
  ['127.0.0.1:65536', /port must be/u],
  ['127.0.0.1:-1', /port must be/u],
  ['127.0.0.1:080', /port must be/u],
  ['127.0.0.1:1e3', /port must be/u],
  ['127.1:80', /not an IP address/u],
  ['127.0.0.01:80', /not an IP address/u],
  ['256.0.0.1:80', /not an IP address/u],
  ['::1:80', /must be in brackets/u],
  ['[::1', /must be in brackets/u],
  ['[127.0.0.1]:80', /brackets are for an IPv6 address/u],
  ['[::g]:80', /brackets are for an IPv6 address/u],
  ['[::ffff:127.0.0.1]:80', /write an IPv4 address without brackets/u],
  ['[fe80::1]:53', /needs the name of its interface/u],
  ['[fe80::1%]:53', /needs the name of its interface/u],
  ['[fe80::1%a b]:53', /needs the name of its interface/u],
  ['[fe80::1%sixteen-letters0]:53', /needs the name of its interface/u],
  ['[::1%lo]:53', /only link-local addresses/u],
  [':80', /not an IP address/u],
  ['*', /has no port/u],
  ['*:80,', /a comma too many/u],
  ['*:80,,*:81', /a comma too many/u],
  ['1.1.1.1:80,1.1.1.1:80', /^1\.1\.1\.1:80 is given twice/u],
  ['[::1]:80,[0::1]:80', /^\[::1\]:80 is given twice/u],
  ['127.0.0.1:80,*:80', /^127\.0\.0\.1:80 and \*:80 overlap/u],
  ['*:80,[::1]:80', /overlap/u],
  ['0.0.0.0:80,127.0.0.1:80', /overlap/u],
  ['[::1]:80,[::]:80', /overlap/u],
  ['x'.repeat(maxListenTextLength), /^"x{80}…" has no port/u],
  [' '.repeat(maxListenTextLength + 1), /more than 4096 characters/u],
];

for (const [text, problem] of refused) {
  test(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
    const result = parseListenAddresses(text);
    assert.ok(!result.ok);
    assert.match(result.problem, problem);
    assert.match(result.problem, /\.$/u);
  });
}

test('accepts 32 addresses and refuses 33', () => {
  const ports = Array.from({ length: maxListenAddresses }, (_, index) => `*:${index + 1}`);
  assert.equal(parsed(ports.join(',')).length, 32);
  const result = parseListenAddresses([...ports, '*:99'].join(','));
  assert.ok(!result.ok);
  assert.match(result.problem, /^33 addresses are given; at most 32/u);
});

test('every address is the same after formatting and parsing', () => {
  const port = fc.integer({ min: 0, max: 65535 });
  const text = fc.oneof(
    fc.tuple(fc.ipV4(), port).map(([host, number]) => `${host}:${number}`),
    fc.tuple(fc.ipV6(), port).map(([host, number]) => `[${host}]:${number}`),
  );
  fc.assert(
    fc.property(text, (given) => {
      const result = parseListenAddresses(given);
      if (!result.ok) {
        assert.match(result.problem, /IPv4 address by itself|name of its interface/u);
        return;
      }
      const canonical = result.addresses.map(formatListenAddress).join(',');
      assert.deepEqual(parsed(canonical), result.addresses);
      for (const address of result.addresses) assert.ok(ipaddr.isValid(address.host));
    }),
  );
});

test('parsing never throws, on random text and on random address parts', () => {
  fc.assert(fc.property(fc.anyText(), (text) => void parseListenAddresses(text)));
  const pieces = fc.constantFrom('[', ']', ':', '::', '%', ',', '*', '0', '1', 'f', '.', 'fe80', 'ffff', ' ');
  fc.assert(fc.property(fc.array(pieces), (parts) => void parseListenAddresses(parts.join(''))));
});

function parsed(text: string): readonly ListenAddress[] {
  const result = parseListenAddresses(text);
  assert.ok(result.ok, result.ok ? '' : result.problem);
  return result.addresses;
}
