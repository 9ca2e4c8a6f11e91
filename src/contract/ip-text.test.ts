// The parser of address text compared with others: Node's isIP decides what is an address, the URL parser
// what it means, ipaddr.js how RFC 5952 writes it. ipaddr.js does not decide the meaning: it parses
// `::1.2.3.4` as `::ffff:1.2.3.4`, so it only gets the canonical form, which has no dots.

import assert from 'node:assert/strict';
import { isIPv4, isIPv6 } from 'node:net';
import test from 'node:test';
import * as fc from '../../test/running/properties.ts';
import ipaddr from 'ipaddr.js';
import { formatIpv6Groups, isIpv4Mapped, isIpv4Text, isLinkLocal, parseIpv6Text } from './ip-text.ts';

const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
const groups = fc.array(group, { minLength: 8, maxLength: 8 });
const scraps = fc
  .array(
    fc.constantFrom(':', '::', '0', '1', 'ab', 'FFFF', '12345', 'g', '1.2.3.4', '.', '255', '256', '00'),
    {
      maxLength: 18,
    },
  )
  .map((parts) => parts.join(''));

test('a text is an IP address exactly when Node says so', () => {
  const text = fc.oneof(scraps, fc.ipV6(), fc.ipV4());
  fc.assert(
    fc.property(text, (given) => {
      assert.equal(parseIpv6Text(given) !== undefined, isIPv6(given), given);
      assert.equal(isIpv4Text(given), isIPv4(given), given);
    }),
    { numRuns: 5000 },
  );
});

test('an IPv6 text means the same address as in the URL parser', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const canonical = formatIpv6Groups(parseIpv6Text(text) ?? []);
      assert.equal(`[${canonical}]`, new URL(`http://[${text}]/`).hostname);
      assert.deepEqual(ipaddr.IPv6.parse(canonical).parts, parseIpv6Text(text));
    }),
    { numRuns: 2000 },
  );
});

test('an IPv6 address is written as in RFC 5952 and read back unchanged', () => {
  fc.assert(
    fc.property(groups, (given) => {
      const text = formatIpv6Groups(given);
      assert.equal(text, new ipaddr.IPv6(given).toRFC5952String());
      assert.deepEqual(parseIpv6Text(text), given);
    }),
    { numRuns: 2000 },
  );
});

test('link-local and IPv4-mapped addresses are recognised', () => {
  const table: readonly (readonly [text: string, linkLocal: boolean, mapped: boolean])[] = [
    ['fe80::1', true, false],
    ['febf:ffff::1', true, false],
    ['fec0::1', false, false],
    ['::1', false, false],
    ['::ffff:1.2.3.4', false, true],
    ['::1:ffff:0:0', false, false],
  ];
  for (const [text, linkLocal, mapped] of table) {
    const parsed = parseIpv6Text(text) ?? [];
    assert.deepEqual([isLinkLocal(parsed), isIpv4Mapped(parsed)], [linkLocal, mapped], text);
  }
});
