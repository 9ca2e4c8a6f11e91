import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { scan } from './scan.ts';

const TABLE: readonly (readonly [text: string, ...expected: string[]])[] = [
  ['a; // b\nc', '// b'],
  ['a /* b\nc */ d', '/* b\nc */'],
  ['/* never closed', '/* never closed'],
  [`'a' + "b"`, `'a'`, `"b"`],
  [String.raw`'it\'s' + 1`, String.raw`'it\'s'`],
  [`'// no comment'`, `'// no comment'`],
  [`// it's\n'a'`, `// it's`, `'a'`],
  [`'broken off\nb`, `'broken off`],
  ['`a`', '`a`'],
  ['`a${b}c`', '`a${', '}c`'],
  ['`a${{ b: `c${d}` }}e` + f', '`a${', '`c${', '}`', '}e`'],
  ['`$5 ${a}`', '`$5 ${', '}`'],
  ['a = /b\\/[/]c/g', '/b\\/[/]c/g'],
  [`a.replace(/'/g, b)`, `/'/g`],
  [`return /'/`, `/'/`],
  [`a / b / c`],
  [`f(a) / 2 + '/'`, `'/'`],
  [`a[0] / 2; // b`, `// b`],
];

describe('scan', () => {
  for (const [text, ...expected] of TABLE) {
    test(JSON.stringify(text), () => {
      const spans = scan(text);
      assert.deepEqual(
        spans.map(({ start, end }) => text.slice(start, end)),
        expected,
      );
    });
  }
});
