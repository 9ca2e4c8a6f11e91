import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Class, Flag, Type } from './codes.ts';
import { writeQuery } from './query-writer.ts';
import { bytesOf, header, opt, word } from '#testing/wire/bytes';

describe('writeQuery', () => {
  const name = bytesOf(2, 0x41, 0x62, 0, 99);
  const body = bytesOf(2, 0x41, 0x62, 0, word(28), word(1));
  const out = new Uint8Array(60).fill(0xdd);
  const write = (flags: number, udpBytes: number, dnssecOk: boolean): Uint8Array => {
    const length = writeQuery(out, 5, 0xbeef, flags, name, Type.AAAA, Class.IN, udpBytes, dnssecOk);
    return out.subarray(5, 5 + length);
  };
  const cases: readonly [string, Uint8Array, Uint8Array][] = [
    ['with OPT', write(0, 1232, false).slice(), bytesOf(header(0xbeef, 0x0100, 1, 0, 0, 1), body, opt(1232))],
    [
      'DO and CD',
      write(Flag.cd, 1232, true).slice(),
      bytesOf(header(0xbeef, 0x0110, 1, 0, 0, 1), body, opt(1232, [0, 0, 0x80, 0])),
    ],
    ['without OPT', write(0, 0, true).slice(), bytesOf(header(0xbeef, 0x0100, 1), body)],
    [
      'without the bit of a response',
      write(Flag.qr, 0, false).slice(),
      bytesOf(header(0xbeef, 0x0100, 1), body),
    ],
  ];
  for (const [title, written, expected] of cases) it(title, () => assert.deepEqual(written, expected));
  it('writes only within its range', () =>
    assert.deepEqual(out.subarray(0, 5), new Uint8Array(5).fill(0xdd)));
  it('writes nothing for an invalid name, or without room', () => {
    assert.equal(writeQuery(out, 0, 1, 0, bytesOf(5, 1), 1, 1, 1232, false), 0);
    assert.equal(writeQuery(new Uint8Array(30), 0, 1, 0, name, 1, 1, 1232, false), 0);
  });
});
