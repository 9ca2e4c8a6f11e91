// The parser and the writer of addresses in wire, which the service uses, and those in the contract, which
// browsers use, agree on every text. This room is the lowest one that may import both.

import assert from 'node:assert/strict';
import test from 'node:test';
import { formatIpv4Tail, formatIpv6Groups, isIpv4Mapped, isIpv4Text, parseIpv6Text } from '#contract';
import { ipBytes, ipText, isMappedIpv4, u16 } from '#wire';
import * as fc from '../../../test/running/properties.ts';

const scraps = fc
  .array(
    fc.constantFrom(':', '::', '0', '1', 'ab', 'FFFF', '12345', 'g', '1.2.3.4', '.', '255', '256', '00'),
    {
      maxLength: 18,
    },
  )
  .map((parts) => parts.join(''));
const texts = fc.oneof(scraps, fc.ipV4(), fc.ipV6());

function groupsOf(bytes: Uint8Array): readonly number[] {
  return Array.from({ length: 8 }, (_, index) => u16(bytes, 2 * index));
}

test('both parsers accept the same texts and read the same address', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const bytes = ipBytes(text);
      assert.equal(bytes?.length === 4, isIpv4Text(text), text);
      const groups = bytes?.length === 16 ? groupsOf(bytes) : undefined;
      assert.deepEqual(groups, parseIpv6Text(text), text);
    }),
    { numRuns: 5000 },
  );
});

test('both writers write the same text, but only wire writes IPv4-mapped addresses dotted', () => {
  const byte = fc.oneof(fc.constant(0), fc.nat(255));
  const mapped = fc
    .uint8Array({ minLength: 4, maxLength: 4 })
    .map((tail) => [...new Uint8Array(10), 0xff, 0xff, ...tail]);
  fc.assert(
    fc.property(fc.oneof(fc.array(byte, { minLength: 16, maxLength: 16 }), mapped), (given) => {
      const bytes = Uint8Array.from(given);
      const groups = groupsOf(bytes);
      assert.equal(isMappedIpv4(bytes, 0), isIpv4Mapped(groups));
      const expected = isIpv4Mapped(groups) ? `::ffff:${formatIpv4Tail(groups)}` : formatIpv6Groups(groups);
      assert.equal(ipText(bytes), expected);
    }),
    { numRuns: 2000 },
  );
});
