import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Type } from './codes.ts';
import {
  additionalCount,
  answerCount,
  authorityCount,
  extendedError,
  fullRcodeOf,
  lowestTtl,
  messageFlags,
  messageId,
  negativeTtl,
  optOf,
  questionCount,
  questionEndOf,
  rcodeOf,
  sameQuestion,
  sameQuestionAnyCase,
  ttlOffsets,
} from './message.ts';
import { bytesOf, header, opt, type Part, PLACE, placed, record, word } from './test-bytes.ts';

const question = bytesOf('a.b', word(1), word(1));
const QUESTION_END = 12 + question.length;
const address = (ttlSeconds: number): number[] => record([0xc0, 12], Type.A, ttlSeconds, [1, 2, 3, 4]);
const soa = (ttlSeconds: number, minimum: number): number[] =>
  record('b', Type.SOA, ttlSeconds, [0, 0, ...Array<number>(16).fill(0), 0, 0, ...word(minimum)]);

function ask<T>(what: (bytes: Uint8Array, start: number, length: number) => T, parts: readonly Part[]): T {
  const message = bytesOf(...parts);
  return what(placed(message), PLACE, message.length);
}

it('the header', () => {
  const message = placed(bytesOf(header(0xabcd, 0x8583, 1, 2, 3, 4)));
  assert.equal(messageId(message, PLACE), 0xabcd);
  assert.equal(messageFlags(message, PLACE), 0x8583);
  assert.equal(rcodeOf(message, PLACE), 3);
  const counts = [questionCount, answerCount, authorityCount, additionalCount];
  assert.deepEqual(
    counts.map((count) => count(message, PLACE)),
    [1, 2, 3, 4],
  );
});

describe('the same question', () => {
  const cases: readonly [string, readonly Part[], exact: boolean, anyCase: boolean][] = [
    ['itself', [header(1, 0x8000, 1), question], true, true],
    ['itself, with records', [header(1, 0x8000, 1, 1), question, address(1)], true, true],
    ['another case', [header(1, 0x8000, 1), 1, 0x41, 1, 0x62, 0, word(1), word(1)], false, true],
    ['another name', [header(1, 0x8000, 1), 'a.c', word(1), word(1)], false, false],
    ['another type', [header(1, 0x8000, 1), 'a.b', word(2), word(1)], false, false],
    ['another class', [header(1, 0x8000, 1), 'a.b', word(1), word(3)], false, false],
    ['a longer name', [header(1, 0x8000, 1), 'a.b.c', word(1), word(1)], false, false],
    ['two questions', [header(1, 0x8000, 2), question, question], false, false],
    ['none', [header(1, 0x8000, 0), question], false, false],
    ['cut off', [header(1, 0x8000, 1), question.slice(0, -1)], false, false],
  ];
  const own = bytesOf(9, 9, question);
  for (const [name, parts, exact, anyCase] of cases) {
    it(name, () => {
      const message = bytesOf(...parts);
      // Followed by what would make a question that is cut off whole again.
      const all = placed(message, 1);
      assert.equal(sameQuestion(all, PLACE, message.length, own, 2, question.length), exact);
      assert.equal(sameQuestionAnyCase(all, PLACE, message.length, own, 2, question.length), anyCase);
    });
  }
  it('type 65 is not type 97 in another case', () => {
    const message = bytesOf(header(1, 0x8000, 1), 'a', word(97), word(1));
    const asked = bytesOf('a', word(65), word(1));
    assert.equal(sameQuestionAnyCase(message, 0, message.length, asked, 0, asked.length), false);
  });
  it('ends where the records begin', () => {
    assert.equal(ask(questionEndOf, [header(1, 0x8000, 1), question, 9]), PLACE + QUESTION_END);
    assert.equal(ask(questionEndOf, [header(1, 0x8000, 1), 3]), -1);
  });
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
    // Owner (by pointer 2 bytes, `b` 3), type and class stand before a TTL.
    assert.deepEqual(offsets(4, all), [a + 6, rrsig + 6, authority + 7, additional + 6]);
  });
  it('too many for the array', () => assert.equal(offsets(3, all), -1));
  it('malformed', () => assert.equal(offsets(9, [header(1, 0x8000, 1, 2), question, address(1)]), -1));
  it('the lowest', () => assert.equal(ask(lowestTtl, all), 20));
  it('no records: no lowest', () => assert.equal(ask(lowestTtl, [header(1, 0x8000, 1), question]), -1));
  it('malformed: no lowest', () => {
    assert.equal(ask(lowestTtl, [header(1, 0x8000, 1, 2), question, address(1)]), -1);
  });

  const negatives: readonly [string, readonly Part[], number][] = [
    ["the SOA's minimum", [header(1, 0x8003, 1, 0, 1), question, soa(900, 60)], 60],
    ["the SOA's own TTL", [header(1, 0x8003, 1, 0, 1), question, soa(30, 60)], 30],
    ['the first SOA', [header(1, 0x8003, 1, 0, 2), question, soa(30, 60), soa(1, 1)], 30],
    ['no SOA', [header(1, 0x8003, 1, 0, 1), question, record('b', Type.NS, 5, [0])], -1],
    ['a SOA as an answer', [header(1, 0x8000, 1, 1), question, soa(30, 60)], -1],
    ['a SOA too short', [header(1, 0x8003, 1, 0, 1), question, record('b', Type.SOA, 5, [0, 0, 1])], -1],
    ['malformed', [header(1, 0x8003, 1, 0, 2), question, soa(30, 60)], -1],
  ];
  for (const [name, parts, ttl] of negatives) {
    it(`negative: ${name}`, () => assert.equal(ask(negativeTtl, parts), ttl));
  }
});

describe('OPT', () => {
  const withOpt = (...data: number[]): readonly Part[] => [
    header(1, 0x8005, 1, 1, 0, 1),
    question,
    address(1),
    opt(1232, [1, 0, 0, 0], data),
  ];
  const without = [header(1, 0x8005, 1, 1), question, address(1)];

  it('its place', () => assert.equal(ask(optOf, withOpt()), PLACE + QUESTION_END + 16));
  it('none', () => assert.equal(ask(optOf, without), -1));
  it('the whole rcode', () => assert.equal(ask(fullRcodeOf, withOpt()), 21));
  it('the whole rcode without it', () => assert.equal(ask(fullRcodeOf, without), 5));

  const errors: readonly [string, readonly Part[], number][] = [
    ['an extended error', withOpt(0, 15, 0, 2, 0, 17), 17],
    ['with text', withOpt(0, 15, 0, 4, 1, 2, 0x61, 0x62), 258],
    ['behind another option', withOpt(0, 10, 0, 1, 9, 0, 15, 0, 2, 0, 3), 3],
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
