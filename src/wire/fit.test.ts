import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Type } from './codes.ts';
import { fit } from './fit.ts';
import { bytesOf, header, opt, type Part, PLACE, placed, record, word } from './test-bytes.ts';

const question = bytesOf('a.b', word(1), word(1));
const answer = record([0xc0, 12], Type.A, 9, [1, 2, 3, 4]);
const error = opt(1232, [0, 0, 0, 0], [0, 15, 0, 2, 0, 3]);
const whole = bytesOf(header(1, 0x8180, 1, 2, 1, 2), question, answer, answer, answer, error, answer);
const cut = (flags: number, additional: number): readonly Part[] => [
  header(1, flags, 1, 0, 0, additional),
  question,
];

describe('fit', () => {
  const cases: readonly [string, Uint8Array, number, Uint8Array][] = [
    ['what fits stays', whole, whole.length, whole],
    ['one byte too long', whole, whole.length - 1, bytesOf(...cut(0x8380, 1), error)],
    ['just room for OPT', whole, 21 + error.length, bytesOf(...cut(0x8380, 1), error)],
    ['no room for OPT', whole, 21 + error.length - 1, bytesOf(...cut(0x8380, 0))],
    ['no OPT', bytesOf(header(1, 0x8180, 1, 1), question, answer), 30, bytesOf(...cut(0x8380, 0))],
    ['no room for the question', whole, 20, bytesOf(header(1, 0x8380))],
    [
      'a question that cannot be read',
      bytesOf(header(1, 0x8180, 1), 0x80, 1, 2),
      13,
      bytesOf(header(1, 0x8380)),
    ],
    [
      'records that cannot be read',
      bytesOf(header(1, 0x8180, 1, 1), question, 0x80),
      21,
      bytesOf(...cut(0x8380, 0)),
    ],
    ['no header', bytesOf(1, 2, 3), 2, bytesOf(1, 2, 3)],
  ];
  for (const [name, message, limit, expected] of cases) {
    it(name, () => {
      const out = placed(message);
      const length = fit(out, PLACE, message.length, limit);
      assert.deepEqual(out.subarray(PLACE, PLACE + length), expected);
      assert.deepEqual(
        out.subarray(PLACE + message.length),
        placed(message).subarray(PLACE + message.length),
      );
    });
  }
});
