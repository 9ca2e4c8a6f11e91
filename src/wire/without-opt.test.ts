import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Type } from './codes.ts';
import { RecordCursor } from './record-cursor.ts';
import { bytesOf, header, opt, type Part, PLACE, placed, record, word } from '#testing/wire/bytes';
import { recordText } from './text/record-text.ts';
import { copyWithoutOpt } from './without-opt.ts';

const question = bytesOf('a.b', word(1), word(1));
const answer = record([0xc0, 12], Type.A, 9, [1, 2, 3, 4]);
const OPT_AT = 12 + question.length + answer.length;

function strip(...parts: readonly Part[]): Uint8Array | undefined {
  const message = bytesOf(...parts);
  const out = new Uint8Array(message.length + 5).fill(0xdd);
  const length = copyWithoutOpt(placed(message), PLACE, message.length, out, 5);
  assert.deepEqual(out.subarray(0, 5), new Uint8Array(5).fill(0xdd));
  return length === -1 ? undefined : out.slice(5, 5 + length);
}

function textsOf(message: Uint8Array): string[] {
  const cursor = new RecordCursor();
  const texts: string[] = [];
  cursor.start(message, 0, message.length);
  while (cursor.next()) texts.push(recordText(cursor));
  assert.equal(cursor.malformed, false);
  return texts;
}

describe('a message without its OPT', () => {
  it('without an OPT is unchanged', () => {
    const message = bytesOf(header(1, 0x8000, 1, 1), question, answer);
    assert.deepEqual(strip(message), message);
  });
  it('loses an OPT at its end', () => {
    assert.deepEqual(
      strip(header(1, 0x8000, 1, 1, 0, 1), question, answer, opt(1232, [0, 0, 0, 0], [0, 15, 0, 2, 0, 3])),
      bytesOf(header(1, 0x8000, 1, 1), question, answer),
    );
  });
  it('loses trailing bytes as well', () => {
    assert.deepEqual(
      strip(header(1, 0x8000, 1, 1), question, answer, 1, 2, 3),
      bytesOf(header(1, 0x8000, 1, 1), question, answer),
    );
  });
  it('has corrected pointers in the records after it', () => {
    const options = opt(1232, [0, 0, 0, 0], [0, 10, 0, 1, 9]);
    const ownAt = OPT_AT + options.length;
    const pointer = (offset: number): number[] => word(0xc000 | offset);
    const stripped = strip(
      header(1, 0x8000, 1, 1, 0, 5),
      question,
      answer,
      options,
      record('x.y', Type.A, 1, [1, 1, 1, 1]),
      record(pointer(ownAt), Type.MX, 2, [0, 5, 1, 0x6d, ...pointer(ownAt + 2)]),
      record([1, 0x77, ...pointer(12)], Type.SOA, 3, [
        ...pointer(12),
        ...pointer(ownAt),
        ...Array<number>(20).fill(0),
      ]),
      // Looks like a pointer, in data without names.
      record(pointer(14), Type.TXT, 4, [2, ...pointer(ownAt)]),
    );
    assert.ok(stripped);
    assert.equal(stripped[11], 4);
    assert.deepEqual(textsOf(stripped), [
      'a.b 9 IN A 1.2.3.4',
      'x.y 1 IN A 1.1.1.1',
      'x.y 2 IN MX 5 m.y',
      'w.a.b 3 IN SOA a.b x.y 0 0 0 0 0',
      `b 4 IN TXT "\\192${String.fromCharCode(ownAt)}"`,
    ]);
  });
  const refused: readonly [string, readonly Part[]][] = [
    ['two OPTs', [header(1, 0x8000, 1, 0, 0, 2), question, opt(1), opt(2)]],
    ['OPT as an answer', [header(1, 0x8000, 1, 1), question, opt(1)]],
    ['cut off', [header(1, 0x8000, 1, 1, 0, 1), question, answer]],
    ['no question', [header(1, 0x8000, 1)]],
    [
      'a pointer into the OPT',
      [header(1, 0x8000, 1, 1, 0, 2), question, answer, opt(1), record(word(0xc000 | OPT_AT), 1, 1, [])],
    ],
    [
      'a malformed name after the OPT',
      [header(1, 0x8000, 1, 1, 0, 2), question, answer, opt(1), record('a', Type.NS, 1, [9, 1])],
    ],
  ];
  for (const [name, parts] of refused)
    it(`is refused: ${name}`, () => assert.equal(strip(...parts), undefined));
  it('is refused without room', () => {
    const message = bytesOf(header(1, 0x8000, 1, 1), question, answer);
    assert.equal(copyWithoutOpt(message, 0, message.length, new Uint8Array(20), 0), -1);
  });
});
