import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CellTable, cellsFor, wordsOf } from './cell-table.ts';
import { cellWords, fullest, headerWords, tailCells } from './layout.ts';

function tableOf(cells: number, most = 2 ** 22): CellTable {
  return new CellTable(new SharedArrayBuffer(wordsOf(cells) * 4, { maxByteLength: most }), cells);
}

function* fingerprints(count: number): Generator<readonly [number, number]> {
  let state = 7;
  const next = (): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b1) | 0;
    return state ^ (state >>> 13);
  };
  for (let at = 0; at < count; at++) {
    const low = next();
    yield [low, next()];
    // The same low half, on both sides of zero in the high one.
    if (at % 50 === 0) yield [low, -1 - at];
  }
}

function fill(table: CellTable, count: number): Map<string, number> {
  const model = new Map<string, number>();
  let value = 0;
  for (const [low, high] of fingerprints(count)) {
    value++;
    assert.equal(table.find(low, high), 0);
    assert.ok(table.put(low, high, value));
    model.set(`${low} ${high}`, value);
  }
  return model;
}

function assertHolds(table: CellTable, model: Map<string, number>): void {
  for (const [print, value] of model) {
    const [low = 0, high = 0] = print.split(' ').map(Number);
    assert.equal(table.find(low, high), value);
    assert.equal(table.find(low, high ^ 1), 0);
  }
}

describe('the table of cells', () => {
  it('finds all entries while it grows in its own memory', () => {
    const table = tableOf(64);
    const { buffer } = table;
    const model = fill(table, 20_000);
    assert.equal(table.names, model.size);
    assertHolds(table, model);
    assert.equal(table.buffer, buffer);
    assert.ok(table.names / table.cells > 0.8 && table.names / table.cells <= fullest);
  });

  it('keeps cells in order, as a search requires', () => {
    const table = tableOf(64);
    fill(table, 5000);
    const { words } = table;
    let before = -1;
    let seen = 0;
    for (let at = headerWords; at < words.length; at += cellWords) {
      if (words[at + 2] === 0) continue;
      const low = (words[at] ?? 0) >>> 0;
      assert.ok(low >= before);
      before = low;
      seen++;
    }
    assert.equal(seen, table.names);
  });

  it('is rearranged for fewer and for more cells', () => {
    const table = tableOf(cellsFor(30_000));
    const model = fill(table, 3000);
    for (const cells of [cellsFor(model.size), cellsFor(10_000), cellsFor(model.size), cellsFor(30_000)]) {
      assert.ok(table.layOut(cells));
      assert.equal(table.cells, cells);
      assertHolds(table, model);
    }
  });

  it('replaces the value that was just found', () => {
    const table = tableOf(64);
    table.find(5, 6);
    table.put(5, 6, 1);
    assert.equal(table.find(5, 6), 1);
    table.replace(9);
    assert.equal(table.find(5, 6), 9);
    assert.equal(table.names, 1);
  });

  it('refuses entries that its buffer cannot hold, and keeps the others', () => {
    const table = tableOf(64, wordsOf(128) * 4);
    let refused = 0;
    for (const [low, high] of fingerprints(500)) {
      table.find(low, high);
      if (!table.put(low, high, 1)) refused++;
    }
    assert.ok(refused > 300);
    assert.ok(table.names > 64 && table.names <= 128);
    let found = 0;
    for (const [low, high] of fingerprints(500)) found += table.find(low, high);
    assert.equal(found, table.names);
  });

  it('holds as many of the largest fingerprints as there are cells after the last home', () => {
    const table = tableOf(1000, wordsOf(1100) * 4);
    for (let high = 0; high < 300; high++) {
      assert.equal(table.find(-1, high), 0);
      assert.equal(table.put(-1, high, high + 1), high < tailCells);
    }
    for (let high = 0; high < 300; high++)
      assert.equal(table.find(-1, high), high < tailCells ? high + 1 : 0);
  });

  it('ignores the previous content of a buffer', () => {
    const table = tableOf(64);
    const model = fill(table, 1000);
    const again = new CellTable(table.buffer, 64);
    const [first = ''] = model.keys();
    const [low = 0, high = 0] = first.split(' ').map(Number);
    assert.equal(again.find(low, high), 0);
    assertHolds(again, fill(again, 1500));
  });
});
