import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from '../../test/running/properties.ts';

import { nameFromText, nameToText } from './name-text.ts';
import { bytesOf } from '#testing/wire/bytes';

const l63 = 'a'.repeat(63);

describe('nameFromText', () => {
  const cases: readonly [string, readonly number[] | undefined][] = [
    ['.', [0]],
    ['a', [1, 0x61, 0]],
    ['a.', [1, 0x61, 0]],
    ['A.Bc', [1, 0x61, 2, 0x62, 0x63, 0]],
    ['a\\.b', [3, 0x61, 0x2e, 0x62, 0]],
    ['a\\\\', [2, 0x61, 0x5c, 0]],
    ['\\046', [1, 0x2e, 0]],
    ['\\000\\255', [2, 0, 255, 0]],
    ['\\065', [1, 0x61, 0]],
    ['\\@x', [2, 0x40, 0x78, 0]],
    ['_sip._udp', [4, 0x5f, 0x73, 0x69, 0x70, 4, 0x5f, 0x75, 0x64, 0x70, 0]],
    ['*.a', [1, 0x2a, 1, 0x61, 0]],
    [l63, [63, ...Array<number>(63).fill(0x61), 0]],
    ['', undefined],
    ['..', undefined],
    ['.a', undefined],
    ['a..b', undefined],
    ['a..', undefined],
    [`${l63}a`, undefined],
    ['a b', undefined],
    ['a\n', undefined],
    ['ä.de', undefined],
    ['a\\', undefined],
    ['a\\25', undefined],
    ['a\\256', undefined],
    ['a\\1b2', undefined],
  ];
  for (const [text, expected] of cases) {
    it(`'${text}'`, () => {
      const name = nameFromText(text);
      assert.deepEqual(name === undefined ? undefined : [...name], expected);
    });
  }
  it('accepts 255 bytes and not one more', () => {
    const most = `${l63}.${l63}.${l63}.${'a'.repeat(61)}`;
    assert.equal(nameFromText(most)?.length, 255);
    assert.equal(nameFromText(`${most}.`)?.length, 255);
    assert.equal(nameFromText(`${most}a`), undefined);
    assert.equal(nameFromText('a.'.repeat(10_000_000)), undefined);
  });
});

describe('nameToText', () => {
  const cases: readonly [string, Uint8Array, number, string][] = [
    ['the root', bytesOf(0), 0, '.'],
    ['a dot in a label', bytesOf(3, 0x61, 0x2e, 0x62, 1, 0x63, 0), 0, 'a\\.b.c'],
    ['bytes that are not printable', bytesOf(4, 0, 0x20, 0x7f, 0xff, 0), 0, '\\000\\032\\127\\255'],
    ['characters that are special in zone files', bytesOf(3, 0x40, 0x3b, 0x5c, 0), 0, '\\@\\;\\\\'],
    ['capitals stay', bytesOf(1, 0x41, 0), 0, 'A'],
    ['from the middle of a buffer', bytesOf(9, 9, 'a.b', 9), 2, 'a.b'],
    ['a name that is cut off', bytesOf(5, 0x61), 0, 'a'],
    ['nothing', bytesOf(), 0, '.'],
  ];
  for (const [name, bytes, at, expected] of cases) {
    it(name, () => assert.equal(nameToText(bytes, at), expected));
  }
});

describe('a name in text and back', () => {
  const labels = fc.array(fc.uint8Array({ minLength: 1, maxLength: 63 }), { maxLength: 3 });
  it('is the same name, whatever bytes it contains', () => {
    fc.assert(
      fc.property(labels, (parts) => {
        const wire = bytesOf(...parts.map((part) => bytesOf(part.length, part)), 0);
        const lower = wire.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte));
        assert.deepEqual(nameFromText(nameToText(wire)), lower);
      }),
    );
  });
});
