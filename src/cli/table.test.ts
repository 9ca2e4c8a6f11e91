import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderTable, tableOf } from './table.ts';

describe('tables', () => {
  it('align their columns, without trailing spaces', () => {
    assert.equal(
      renderTable(
        ['id', 'name', 'comment'],
        [
          ['1', 'Children', ''],
          ['100', 'ü', 'x y'],
        ],
      ),
      ['id   name      comment', '1    Children', '100  ü         x y'].join('\n'),
    );
  });

  it('count code points, not UTF-16 units', () => {
    assert.equal(renderTable(['a', 'b'], [['𝒳𝒳', '1']]), 'a   b\n𝒳𝒳  1');
  });

  it('keep an item with line breaks on one line', () => {
    const text = renderTable(['name'], [['a\nb\t\u001b[31mred\u007f\u009b\u202e']]);
    assert.equal(text, 'name\na\\u000ab\\u0009\\u001b[31mred\\u007f\\u009b\\u202e');
  });

  it('have one column for each named function', () => {
    const columns = { n: (value: number) => String(value), double: (value: number) => String(value * 2) };
    assert.equal(tableOf(columns, [1, 20]), 'n   double\n1   2\n20  40');
  });
});
