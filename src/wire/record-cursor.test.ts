import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Type } from './codes.ts';
import { RecordCursor } from './record-cursor.ts';
import { bytesOf, header, opt, type Part, PLACE, placed, record, word } from '#testing/wire/bytes';

const question = bytesOf('a.b', word(1), word(1));
function address(ttlSeconds: number): number[] {
  return record([0xc0, 12], Type.A, ttlSeconds, [1, 2, 3, 4]);
}
/** One cursor for all messages, as in the program. */
const cursor = new RecordCursor();

function walk(...parts: readonly Part[]): { lines: string[]; malformed: boolean } {
  const message = bytesOf(...parts);
  const lines: string[] = [];
  cursor.start(placed(message), PLACE, message.length);
  while (cursor.next()) {
    const { section, type, ttlSeconds, dataLength } = cursor;
    lines.push(`${section}:${type}:${ttlSeconds}:${dataLength}`);
    assert.equal(cursor.dataAt, cursor.ttlAt + 6);
    assert.equal(cursor.recordEnd, cursor.dataAt + dataLength);
  }
  assert.equal(cursor.next(), false);
  return { lines, malformed: cursor.malformed };
}

describe('a walk over records', () => {
  const cases: readonly [string, readonly Part[], readonly string[], boolean][] = [
    ['none', [header(1, 0x8000, 1), question], [], false],
    ['no question', [header(1, 0x8000, 0, 1), record('a', 1, 5, [])], ['0:1:5:0'], false],
    ['two questions', [header(1, 0x8000, 2, 1), question, question, address(6)], ['0:1:6:4'], false],
    [
      'all sections',
      [header(1, 0x8000, 1, 2, 1, 1), question, address(1), address(2), record('b', 6, 3, [0]), opt(1232)],
      ['0:1:1:4', '0:1:2:4', '1:6:3:1', '2:41:0:0'],
      false,
    ],
    ['additional only', [header(1, 0x8000, 1, 0, 0, 1), question, address(7)], ['2:1:7:4'], false],
    [
      'the highest TTL',
      [header(1, 0x8000, 1, 1), question, address(2 ** 31 - 1)],
      ['0:1:2147483647:4'],
      false,
    ],
    [
      'a TTL above the maximum is zero',
      [header(1, 0x8000, 1, 1), question, address(2 ** 31)],
      ['0:1:0:4'],
      false,
    ],
    [
      'bytes after the last record',
      [header(1, 0x8000, 1, 1), question, address(1), 9, 9],
      ['0:1:1:4'],
      false,
    ],
    ['fewer records than counted', [header(1, 0x8000, 1, 2), question, address(1)], ['0:1:1:4'], true],
    ['data cut off', [header(1, 0x8000, 1, 1), question, address(1).slice(0, -1)], [], true],
    ['fixed part cut off', [header(1, 0x8000, 1, 1), question, address(1).slice(0, 11)], [], true],
    ['a malformed owner', [header(1, 0x8000, 1, 1), question, 0x80, address(1)], [], true],
    ['a malformed question', [header(1, 0x8000, 1, 1), 0x80, question, address(1)], [], true],
    ['a question cut off', [header(1, 0x8000, 1, 1), question.slice(0, -1)], [], true],
    ['no header', [header(1, 0x8000, 1).slice(0, 11)], [], true],
    ['65,535 questions in 12 bytes', [header(1, 0x8000, 65_535)], [], true],
  ];
  for (const [name, parts, lines, malformed] of cases) {
    it(name, () => assert.deepEqual(walk(...parts), { lines, malformed }));
  }
});
