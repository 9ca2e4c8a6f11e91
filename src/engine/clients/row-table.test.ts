// Rows found by four words: against a map while there is room, and under a flood of keys that pushes rows
// out.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Random } from '#testing/random';
import { RowTable } from './row-table.ts';

describe('rows', () => {
  test('a known key keeps its row until it is evicted, and never gets the row of another', () => {
    const random = new Random(3);
    const table = new RowTable(256, 77);
    const owner = new Map<number, string>();
    const rowOf = new Map<string, number>();
    for (let step = 0; step < 50_000; step++) {
      if (step % 5000 === 4999) {
        table.forget();
        rowOf.clear();
      }
      const words = [random.below(2), 0, 0xffff, random.below(400) - 200] as const;
      const id = words.join(' ');
      const found = table.find(...words);
      const row = found < 0 ? -1 - found : found;
      assert.ok(row >= 0 && row < table.rows);
      // Known exactly when no other key has taken its row since.
      assert.equal(found >= 0, rowOf.has(id) && owner.get(row) === id && rowOf.get(id) === row);
      owner.set(row, id);
      rowOf.set(id, row);
    }
  });

  test('the key of all zeros is unknown at first', () => {
    const table = new RowTable(8, 1);
    assert.ok(table.find(0, 0, 0, 0) < 0);
    assert.ok(table.find(0, 0, 0, 0) >= 0);
    table.forget();
    assert.ok(table.find(0, 0, 0, 0) < 0);
  });

  test('forgetting one key leaves the others', () => {
    const table = new RowTable(8, 1);
    for (let key = 0; key < 4; key++) table.find(key, 7, 7, 7);
    table.forgetOne(2, 7, 7, 7);
    table.forgetOne(99, 7, 7, 7);
    assert.deepEqual(
      [0, 1, 2, 3, 2].map((key) => table.find(key, 7, 7, 7) >= 0),
      [true, true, false, true, true],
    );
  });

  test('the least recently used key is evicted', () => {
    const table = new RowTable(8, 1);
    for (let key = 0; key < 8; key++) assert.ok(table.find(key, 0, 0, 0) < 0);
    for (let key = 1; key < 8; key++) assert.ok(table.find(key, 0, 0, 0) >= 0);
    assert.ok(table.find(99, 0, 0, 0) < 0);
    for (const key of [1, 2, 3, 4, 5, 6, 7, 99]) assert.ok(table.find(key, 0, 0, 0) >= 0);
    assert.ok(table.find(0, 0, 0, 0) < 0);
  });
});
