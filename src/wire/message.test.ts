import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Type } from './codes.ts';
import { additionalCount, extendedError, fullRcodeOf, messageFlags, rcodeOf, ttlOffsets } from './message.ts';
import { bytesOf, header, opt, type Part, PLACE, placed, record, word } from '#testing/wire/bytes';

const question = bytesOf('a.b', word(1), word(1));
const QUESTION_END = 12 + question.length;
function address(ttlSeconds: number): number[] {
  return record([0xc0, 12], Type.A, ttlSeconds, [1, 2, 3, 4]);
}
function soa(ttlSeconds: number, minimum: number): number[] {
  return record('b', Type.SOA, ttlSeconds, [0, 0, ...Array<number>(16).fill(0), 0, 0, ...word(minimum)]);
}

function ask<T>(what: (bytes: Uint8Array, start: number, length: number) => T, parts: readonly Part[]): T {
  const message = bytesOf(...parts);
  return what(placed(message), PLACE, message.length);
}

it('the header fields are read at their offsets', () => {
  const message = placed(bytesOf(header(0xabcd, 0x8583, 1, 2, 3, 4)));
  assert.equal(messageFlags(message, PLACE), 0x8583);
  assert.equal(rcodeOf(message, PLACE), 3);
  assert.equal(additionalCount(message, PLACE), 4);
});

describe('TTLs', () => {
  const offsets = (room: number, parts: readonly Part[]): readonly number[] | number => {
    const out = new Uint16Array(room);
    const count = ask((bytes, start, length) => ttlOffsets(bytes, start, length, out), parts);
    return count === -1 ? -1 : [...out.subarray(0, count)];
  };
  const signature = record([0xc0, 12], Type.RRSIG, 30, [1]);
  const all = [
    header(1, 0x8000, 1, 2, 1, 2),
    question,
    address(60),
    signature,
    soa(90, 5),
    opt(9),
    address(20),
  ];

  it('are found in every section, RRSIG included and OPT not', () => {
    const a = QUESTION_END;
    const rrsig = a + address(0).length;
    const authority = rrsig + signature.length;
    const additional = authority + soa(0, 0).length + opt(9).length;
    // Owner (2 bytes as a pointer, 3 as `b`), type and class precede a TTL.
    assert.deepEqual(offsets(4, all), [a + 6, rrsig + 6, authority + 7, additional + 6]);
  });
  it('are not read when there are more than the array holds', () => assert.equal(offsets(3, all), -1));
  it('are not read in a malformed message', () =>
    assert.equal(offsets(9, [header(1, 0x8000, 1, 2), question, address(1)]), -1));
});

describe('OPT', () => {
  const withOpt = (...data: number[]): readonly Part[] => [
    header(1, 0x8005, 1, 1, 0, 1),
    question,
    address(1),
    opt(1232, [1, 0, 0, 0], data),
  ];
  const without = [header(1, 0x8005, 1, 1), question, address(1)];

  it('the extended rcode is read from OPT', () => assert.equal(ask(fullRcodeOf, withOpt()), 21));
  it('without OPT the rcode is that of the header', () => assert.equal(ask(fullRcodeOf, without), 5));

  const errors: readonly [string, readonly Part[], number][] = [
    ['an extended error', withOpt(0, 15, 0, 2, 0, 17), 17],
    ['with text', withOpt(0, 15, 0, 4, 1, 2, 0x61, 0x62), 258],
    ['an extended error after another option', withOpt(0, 10, 0, 1, 9, 0, 15, 0, 2, 0, 3), 3],
    ['the first of two', withOpt(0, 15, 0, 2, 0, 4, 0, 15, 0, 2, 0, 5), 4],
    ['no option', withOpt(), -1],
    ['too short', withOpt(0, 15, 0, 1, 9), -1],
    ['overrunning', withOpt(0, 15, 0, 9, 0, 1), -1],
    ['no OPT', without, -1],
  ];
  for (const [name, parts, code] of errors) {
    it(name, () => assert.equal(ask(extendedError, parts), code));
  }
});
