import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Flag, hasBadfilter, maxRowsPerName, setBase } from './layout.ts';
import { RuleRows } from './rule-rows.ts';

const maxSetWords = 2 ** 20;

/** The rows of a cell's value, in order, and the links if a badfilter is among them. */
function rowsOf(rows: RuleRows, value: number): string {
  if (value < setBase) return String(value - 1);
  const header = rows.sets[value - setBase] ?? 0;
  const from = value - setBase + 1;
  const count = header & ~hasBadfilter;
  const all = rows.sets.slice(from, from + count);
  return [all, ...(header === count ? [] : [rows.sets.slice(from + count, from + 2 * count)])].join(
    ' links ',
  );
}

describe('rows', () => {
  it('are kept once for each source, flags and options', () => {
    const rows = new RuleRows(maxSetWords);
    const keys = [0, 1, 5].flatMap((source) =>
      [0, 3, 4].map((rest) => [source, rest, rest === 4 ? 9 : 0] as const),
    );
    const first = keys.map(([source, flags, options]) => rows.rowOf(source, flags, options));
    const again = keys.toReversed().map(([source, flags, options]) => rows.rowOf(source, flags, options));
    assert.deepEqual(again.toReversed(), first);
    assert.equal(new Set(first).size, 9);
    assert.equal(rows.count, 9);
    assert.deepEqual(rows.words.slice(-2), Int32Array.of((5 << 8) | 4, 9));
  });

  it('grow beyond their first size', () => {
    const rows = new RuleRows(maxSetWords);
    for (let source = 0; source < 5000; source++) assert.equal(rows.rowOf(source, 1, 0), source);
    assert.equal(rows.words[4999 * 2], (4999 << 8) | 1);
  });
});

describe('sets of rows', () => {
  it('are equal for the same rows in the same order; adding an existing row changes nothing', () => {
    const rows = new RuleRows(maxSetWords);
    const [a, b, c] = [rows.rowOf(0, 1, 0), rows.rowOf(1, 1, 0), rows.rowOf(2, Flag.badfilter, 0)];
    assert.equal(rows.union(a + 1, a), a + 1);
    const ab = rows.union(a + 1, b);
    const abc = rows.union(ab, c);
    assert.equal(rows.union(a + 1, b), ab);
    assert.equal(rows.union(ab, a), ab);
    assert.equal(rows.union(abc, b), abc);
    assert.equal(rowsOf(rows, a + 1), '0');
    assert.equal(rowsOf(rows, ab), '0,1');
    assert.equal(rowsOf(rows, abc), '0,1,2 links 0,0,0');
  });

  it('link each row with the badfilters that disable it, whatever comes first', () => {
    const rule = [Flag.allow, 3] as const;
    const off = [Flag.allow | Flag.badfilter, 3] as const;
    const cases: readonly (readonly [readonly (readonly [number, number])[], string])[] = [
      [[rule, off], '2,0'],
      [[off, rule], '0,1'],
      [[off, off, off], '2,3,0'],
      [[rule, off, rule, off, rule], '2,4,2,0,2'],
      [[off, rule, off, rule], '3,1,0,1'],
      [[rule, [Flag.badfilter, 3]], '0,0'],
      [[rule, [Flag.allow | Flag.badfilter, 4], off], '3,0,0'],
    ];
    for (const [all, links] of cases) {
      const rows = new RuleRows(maxSetWords);
      const numbers = all.map(([flags, options], source) => rows.rowOf(source, flags, options));
      const value = numbers.slice(1).reduce((set, row) => rows.union(set, row), 1);
      assert.equal(rowsOf(rows, value), `${numbers.join()} links ${links}`);
    }
  });

  it('have a maximum number of rows, and refuse further ones', () => {
    const rows = new RuleRows(maxSetWords);
    let value = rows.rowOf(0, 0, 0) + 1;
    for (let source = 1; source < maxRowsPerName; source++)
      value = rows.union(value, rows.rowOf(source, 0, 0));
    assert.equal(rows.union(value, rows.rowOf(maxRowsPerName, 0, 0)), -1);
    assert.equal(rows.union(value, 5), value);
  });

  it('stay correct when more of them are created than are remembered', () => {
    const rows = new RuleRows(maxSetWords);
    const many = Array.from({ length: 600 }, (_, source) => rows.rowOf(source, 0, 0));
    let made = 0;
    for (const first of many) {
      for (const second of many) {
        if (second <= first) continue;
        const value = rows.union(first + 1, second);
        made++;
        if (made % 977 === 0) assert.equal(rowsOf(rows, value), `${first},${second}`);
        assert.equal(rows.union(value, first), value);
      }
    }
    assert.equal(made, (600 * 599) / 2);
  });

  it('are refused when there is no room for more, and existing ones stay', () => {
    const rows = new RuleRows(9);
    const [a, b, c, d] = [0, 1, 2, 3].map((source) => rows.rowOf(source, 0, 0));
    const ab = rows.union((a ?? 0) + 1, b ?? 0);
    const abc = rows.union(ab, c ?? 0);
    assert.equal(rows.union(abc, d ?? 0), -1);
    assert.equal(rows.union(ab, c ?? 0), abc);
    assert.equal(rowsOf(rows, abc), '0,1,2');
  });
});
