// The order of rows: batches in any order, compared with sorting all of them; rows that a caller has read
// stay where they are.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { orderRows } from './row-order.ts';
import { Block, Column, RowFields } from './rows.ts';

/** Each row carries a number in every column, so that a mixed-up row shows. */
function add(block: Block, timeMs: number, number: number): void {
  const fields = new RowFields();
  fields.timeMs = timeMs;
  fields.values[Column.name] = number;
  fields.values[Column.cname] = number * 3;
  block.add(fields);
}

function rowsOf(block: Block): string[] {
  return Array.from({ length: block.length }, (_, row) => {
    const number = block.column(Column.name)[row] ?? 0;
    assert.equal(block.column(Column.cname)[row], number * 3);
    return `${block.times()[row]} ${number}`;
  });
}

/** Batches of times, `|` where a caller reads the rows; then the expected order. */
const cases: readonly (readonly [string, string, string])[] = [
  ['one ring after the other', '1 3 5, 2 4 6', '1 2 3 4 5 6'],
  ['within a ring', '5 1 3', '1 3 5'],
  ['equal times as they came', '2 2 1, 2 1', '1 1 2 2 2'],
  ['in order already', '1 2, 2 3', '1 2 2 3'],
  ['never before rows that were read', '1 5 | 3 2, 4', '1 5 2 3 4'],
  ['a clock that jumps', '1 9000000000000, 8999999999999 2', '1 2 8999999999999 9000000000000'],
  ['nothing', ', ', ''],
];

describe('rows by time', () => {
  for (const [title, batches, expected] of cases)
    test(title, () => {
      const block = new Block(1);
      let number = 0;
      let settled = 0;
      for (const part of batches.split('|')) {
        settled = block.length;
        for (const batch of part.split(',')) {
          const added = block.length;
          for (const time of batch.split(' ').filter(Boolean)) add(block, Number(time), ++number);
          orderRows(block, settled, added);
        }
      }
      assert.equal(
        rowsOf(block)
          .map((row) => row.split(' ')[0])
          .join(' '),
        expected,
      );
    });

  test('random batches end in the order of time', () => {
    let state = 7;
    const random = (below: number): number => (state = (state * 16_807) % 2_147_483_647) % below;
    const block = new Block(1);
    const settled: string[] = [];
    let number = 0;
    for (let batch = 0; batch < 200; batch++) {
      const added = block.length;
      const unsettled = rowsOf(block).slice(settled.length);
      for (let left = random(40); left > 0; left--) {
        const timeMs = batch * 10 - random(60);
        add(block, timeMs, ++number);
        unsettled.push(`${timeMs} ${number}`);
      }
      orderRows(block, settled.length, added);
      const key = (row: string): number[] => row.split(' ').map(Number);
      const sorted = unsettled.toSorted((a, b) => (key(a)[0] ?? 0) - (key(b)[0] ?? 0));
      assert.deepEqual(rowsOf(block), [...settled, ...sorted]);
      if (random(5) === 0) settled.push(...sorted);
    }
    assert.ok(number > 3_000);
  });
});
