import assert from 'node:assert/strict';
import { isIPv6 } from 'node:net';
import { describe, it } from 'node:test';

import * as fc from '../../../test/running/properties.ts';

import { ipv4Text, ipv6Text } from './address-text.ts';

it('IPv4 is written in dotted decimal', () =>
  assert.equal(ipv4Text(Uint8Array.of(9, 192, 0, 2, 255), 1), '192.0.2.255'));

describe('IPv6 in the form of RFC 5952', () => {
  const cases: readonly [readonly number[], string][] = [
    [[0, 0, 0, 0, 0, 0, 0, 0], '::'],
    [[0, 0, 0, 0, 0, 0, 0, 1], '::1'],
    [[0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], '2001:db8::'],
    [[0x2001, 0xdb8, 0, 1, 1, 1, 1, 1], '2001:db8:0:1:1:1:1:1'],
    [[0x2001, 0xdb8, 0, 0, 1, 0, 0, 1], '2001:db8::1:0:0:1'],
    [[0x2001, 0, 0, 1, 0, 0, 0, 1], '2001:0:0:1::1'],
    [[0, 1, 2, 3, 4, 5, 6, 7], '0:1:2:3:4:5:6:7'],
    [[0, 0, 0, 0, 0, 0xffff, 0xc000, 0x0201], '::ffff:192.0.2.1'],
    [[0x2001, 0xdb8, 0, 0, 0, 0, 0xabcd, 0x000f], '2001:db8::abcd:f'],
  ];
  for (const [groups, expected] of cases) {
    it(expected, () => {
      const bytes = Uint8Array.from([9, ...groups.flatMap((group) => [group >> 8, group & 0xff])]);
      assert.equal(ipv6Text(bytes, 1), expected);
    });
  }
  it('equals the text that Node writes for any address', () => {
    const byte = fc.oneof(fc.constant(0), fc.nat(255));
    fc.assert(
      fc.property(fc.array(byte, { minLength: 16, maxLength: 16 }), (bytes) => {
        const text = ipv6Text(Uint8Array.from(bytes), 0);
        assert.ok(isIPv6(text));
        if (text.includes('.')) return;
        assert.equal(`[${text}]`, new URL(`http://[${text}]/`).hostname);
      }),
    );
  });
});
