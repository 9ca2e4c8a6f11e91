// Columns, segments and lists of counts: decoding returns what was encoded, for data of any shape, and damage
// is detected.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ByteReader, ByteWriter } from './byte-stream.ts';
import { readColumn, writeColumn } from './column-code.ts';
import { distinctIn, mergeCounts, topOf } from './counts-sum.ts';
import { countOf, countValues, eachCount, encodeCounts } from './counts.ts';
import { isDamage } from './history-parts.ts';
import { IdSet } from './id-set.ts';
import { Block, Column, columnNumbers, RowFields, type Rows } from './rows.ts';
import { encodeRows, SegmentMemory, SegmentRows } from './segment-code.ts';
import { flipped } from '#testing/flipped';

let state = 12345;
/** From 0 to `end` - 1; the same sequence in every run. */
function random(end: number): number {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return Math.floor((state / 4_294_967_296) * end);
}

describe('numbers of variable length', () => {
  test('keep their value at the edges of each length', () => {
    const numbers = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 40 + 1, 2 ** 53 - 1];
    const writer = new ByteWriter();
    for (const number of numbers) writer.number(number);
    writer.double(-1.5);
    const reader = new ByteReader(writer.finish());
    assert.deepEqual(
      numbers.map(() => reader.number()),
      numbers,
    );
    assert.equal(reader.double(), -1.5);
    assert.ok(reader.isAtEnd);
    assert.throws(() => reader.raw(1), RangeError);
  });
});

const shapes: readonly (readonly [string, (row: number) => number])[] = [
  ['all the same', () => 77],
  ['zeros', () => 0],
  ['few values', () => random(5)],
  ['a byte and more', () => random(300)],
  ['few large values', () => 4_000_000_000 + random(9)],
  ['many values', () => random(1_000_000)],
  ['all 32 bits', () => random(2 ** 32)],
  ['ascending', (row) => row * 3],
];

describe('a column', () => {
  for (const [title, make] of shapes)
    for (const rows of [0, 1, 2, 255, 3000])
      test(`${title}, ${rows} rows`, () => {
        const values = Uint32Array.from({ length: rows }, (_, row) => make(row));
        for (const isScattered of [false, true]) {
          const writer = new ByteWriter();
          writeColumn(writer, values, isScattered);
          const read = new Uint32Array(rows).fill(9);
          readColumn(new ByteReader(writer.finish()), rows, read);
          assert.deepEqual(read, values);
        }
      });
});

function randomBlock(rows: number, timeOf: (row: number) => number): Block {
  const block = new Block(1_000_000_007);
  const fields = new RowFields();
  for (let row = 0; row < rows; row++) {
    fields.timeMs = timeOf(row);
    for (const column of columnNumbers) fields.values[column] = random(2 ** (column * 2 + 1));
    block.add(fields);
  }
  return block;
}

function content(rows: Rows) {
  return {
    ids: Array.from({ length: rows.length }, (_, row) => rows.idAt(row)),
    times: [...rows.times().subarray(0, rows.length)],
    columns: columnNumbers.map((column) => [...rows.column(column).subarray(0, rows.length)]),
  };
}

describe('a segment', () => {
  for (const [title, timeOf] of [
    ['in order', (row: number) => 1.7e12 + row * 40],
    ['out of order', () => 1.7e12 + random(3_600_000)],
    ['with a clock that was broken', () => random(4) * 1e12],
  ] as const)
    test(title, () => {
      const block = randomBlock(1500, timeOf);
      const body = encodeRows(block);
      const memory = new SegmentMemory();
      // The second segment is read into the memory of the first.
      for (let time = 0; time < 2; time++) {
        const rows = new SegmentRows(body, block.lastId, block.maxMs, memory);
        assert.deepEqual(content(rows), content(block));
      }
    });

  test('detects a changed byte', () => {
    const block = randomBlock(800, (row) => 1.7e12 + row);
    const body = encodeRows(block);
    const expected = content(block);
    let noticed = 0;
    for (let at = 30; at < body.length; at += 97) {
      const spoiled = flipped(body, at, 0x10);
      try {
        assert.deepEqual(content(new SegmentRows(spoiled, block.lastId, block.maxMs)), expected);
      } catch (error) {
        assert.ok(isDamage(error), String(error));
        noticed++;
      }
    }
    assert.ok(noticed > body.length / 97 - 5);
  });
});

describe('counts', () => {
  const naive = (lists: readonly Uint32Array[]) => {
    const counts = new Map<number, number>();
    for (const list of lists) for (const value of list) counts.set(value, (counts.get(value) ?? 0) + 1);
    return counts;
  };
  const lists = [10, 5_000, 200_000, 3_000_000, 2 ** 32].map((end) =>
    Uint32Array.from({ length: 2_000 }, () => Math.floor(random(end) ** 0.9)),
  );
  const coded = lists.map((list) => encodeCounts(countValues(list, list.length)));

  test('of one list agree between scan and lookup', () => {
    for (const [index, list] of lists.entries()) {
      const expected = naive([list]);
      const found = new Map<number, number>();
      const bytes = coded[index] ?? new Uint8Array(0);
      eachCount(bytes, (id, count) => found.set(id, count));
      assert.deepEqual(new Map([...expected].toSorted(([a], [b]) => a - b)), found);
      for (const id of [...expected.keys()].slice(0, 50)) assert.equal(countOf(bytes, id), expected.get(id));
      assert.equal(countOf(bytes, 4_294_967_295), 0);
    }
  });

  test('of many lists together', () => {
    const expected = naive(lists);
    const merged = mergeCounts(coded);
    assert.deepEqual(
      new Map([...merged.ids].map((id, at) => [id, merged.counts[at]])),
      new Map([...expected].toSorted(([a], [b]) => a - b)),
    );
    const ranked = [...expected]
      .toSorted(([a, x], [b, y]) => y - x || a - b)
      .map(([id, count]) => ({ id, count }));
    for (const most of [0, 1, 10, 500]) assert.deepEqual(topOf(coded, most), ranked.slice(0, most));
    assert.equal(distinctIn([coded.slice(0, 3), coded.slice(2)]), expected.size);
  });

  test('of a set of numbers, and of all others', () => {
    const expected = naive(lists.slice(1, 2));
    for (const size of [0, 1, 3, 40]) {
      const ids = [...expected.keys()].slice(0, size);
      const sum = ids.reduce((all, id) => all + (expected.get(id) ?? 0), 0);
      const [, bytes = new Uint8Array(0)] = coded;
      assert.equal(new IdSet(ids).sumOf(bytes), sum);
      assert.equal(new IdSet(ids, true).sumOf(bytes), 2_000 - sum);
    }
    assert.ok(new IdSet([2 ** 31 + 5]).has(2 ** 31 + 5) && !new IdSet([2 ** 31 + 5]).has(5));
  });

  test('a column has its place', () => assert.equal(columnNumbers[Column.cname], Column.cname));
});
