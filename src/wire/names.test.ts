import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  isBelowOrSame,
  lowerCase,
  NAME_BUFFER_BYTES,
  nameLengthOf,
  namesEqual,
  readName,
  readNameAsWritten,
  skipName,
} from './names.ts';
import { nameToText } from './name-text.ts';
import { bytesOf, wireName } from '#testing/wire/bytes';

function label(length: number): number[] {
  return [length, ...Array<number>(length).fill(0x61)];
}
/** 255 bytes with the root: three labels of 63 and one of 61. */
const longest = bytesOf(label(63), label(63), label(63), label(61), 0);
const tooLong = bytesOf(label(63), label(63), label(63), label(62), 0);

describe('skipName', () => {
  const cases: readonly [string, Uint8Array, number][] = [
    ['the root', bytesOf(0, 9), 1],
    ['labels', bytesOf('a.bc', 9), 6],
    ['a pointer', bytesOf(0xc0, 0x0c, 9), 2],
    ['labels and a pointer', bytesOf(1, 0x61, 0xc0, 0x0c), 4],
    ['the longest name', longest, 255],
    ['a name too long', tooLong, -1],
    ['nothing', bytesOf(), -1],
    ['half a pointer', bytesOf(0xc0), -1],
    ['no root', bytesOf(1, 0x61), -1],
    ['a label that overruns', bytesOf(5, 0x61, 0), -1],
    ['the reserved form 01', bytesOf(0x41, 0), -1],
    ['the reserved form 10', bytesOf(0x80, 0), -1],
  ];
  for (const [name, bytes, expected] of cases) {
    it(name, () => assert.equal(skipName(bytes, 0, bytes.length), expected));
  }
});

describe('readName', () => {
  const front = Array<number>(12).fill(0xee);
  const cases: readonly [string, Uint8Array, number, string | undefined][] = [
    ['the root', bytesOf(front, 0), 12, '.'],
    ['no pointers', bytesOf(front, 'a.bc'), 12, 'a.bc'],
    ['capitals', bytesOf(front, 2, 0x41, 0x5a, 0), 12, 'az'],
    ['a pointer', bytesOf(front, 'b.c', 1, 0x61, 0xc0, 12), 17, 'a.b.c'],
    ['a pointer to a pointer', bytesOf(front, 'c', 1, 0x62, 0xc0, 12, 1, 0x61, 0xc0, 15), 19, 'a.b.c'],
    ['a pointer to itself', bytesOf(front, 0xc0, 12), 12, undefined],
    ['a pointer to its own labels', bytesOf(front, 1, 0x61, 0xc0, 12), 12, undefined],
    ['a pointer forward', bytesOf(front, 0xc0, 14, 'a'), 12, undefined],
    ['two pointers to each other', bytesOf(front, 0xc0, 14, 0xc0, 12), 14, undefined],
    ['a pointer into the header', bytesOf(front, 0xc0, 4), 12, undefined],
    ['half a pointer', bytesOf(front, 0, 0xc0), 13, undefined],
    ['cut off', bytesOf(front, 3, 0x61), 12, undefined],
    ['the longest name', bytesOf(front, longest), 12, nameToText(longest)],
    ['too long', bytesOf(front, tooLong), 12, undefined],
    ['too long because of a pointer', bytesOf(front, longest, 1, 0x61, 0xc0, 12), 267, undefined],
  ];
  for (const [name, bytes, at, expected] of cases) {
    for (const shift of [0, 5]) {
      it(`${name}, ${shift} bytes into the buffer`, () => {
        const all = bytesOf(Array<number>(shift).fill(0xc0), bytes);
        const out = new Uint8Array(NAME_BUFFER_BYTES).fill(7);
        const length = readName(all, shift, shift + at, all.length, out);
        assert.equal(length === -1 ? undefined : nameToText(out), expected);
        if (length !== -1) assert.equal(length, nameLengthOf(out));
      });
    }
  }
  it('keeps the case on request', () => {
    const bytes = bytesOf(front, 2, 0x41, 0x62, 0);
    const out = new Uint8Array(NAME_BUFFER_BYTES);
    assert.equal(readNameAsWritten(bytes, 0, 12, bytes.length, out), 4);
    assert.equal(nameToText(out), 'Ab');
  });
});

describe('comparing names:', () => {
  const cases: readonly [name: string, suffix: string, expected: boolean][] = [
    ['a.b.c', 'a.b.c', true],
    ['a.b.c', 'b.c', true],
    ['a.b.c', '.', true],
    ['.', '.', true],
    ['b.c', 'a.b.c', false],
    ['ab.c', 'b.c', false],
    ['a\\001b.c', 'b.c', false],
    ['a.b.d', 'b.c', false],
    ['.', 'c', false],
  ];
  for (const [name, suffix, expected] of cases) {
    it(`${name} ${expected ? 'is' : 'is not'} below ${suffix}`, () => {
      const bytes = bytesOf(name, 1, 0x62);
      assert.equal(isBelowOrSame(bytes, bytes.length - 2, wireName(suffix)), expected);
    });
  }
  it('a suffix that is not a name has nothing below it', () => {
    assert.equal(isBelowOrSame(wireName('a'), 3, bytesOf(1)), false);
  });
  it('equal means the same bytes within the lengths given', () => {
    const padded = bytesOf('a.b', 9, 9);
    assert.equal(namesEqual(padded, 5, wireName('a.b'), 5), true);
    assert.equal(namesEqual(padded, 5, wireName('a.c'), 5), false);
    assert.equal(namesEqual(padded, 5, wireName('a'), 3), false);
  });
  it('only ASCII letters have a lower case', () => {
    const changed = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => lowerCase(byte) !== byte);
    assert.equal(String.fromCharCode(...changed), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  });
  it('the length of an invalid name is 0', () => {
    for (const bytes of [bytesOf(), bytesOf(1, 0x61), bytesOf(64, 0), bytesOf(0xc0, 12), tooLong]) {
      assert.equal(nameLengthOf(bytes), 0);
    }
    assert.equal(nameLengthOf(longest), 255);
  });
});
