import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { SvcParamCursor } from './svcb.ts';
import { bytesOf, type Part } from '#testing/wire/bytes';

describe('parameters of HTTPS and SVCB', () => {
  const hint = [0, 4, 0, 4, 1, 2, 3, 4];
  const alpn = [0, 1, 0, 3, 2, 0x68, 0x32];
  const cases: readonly [string, readonly Part[], readonly string[] | undefined, boolean][] = [
    ['an alias', [0, 0, 'a.b'], [], false],
    ['some', [0, 1, '.', alpn, hint], ['1:3', '4:4'], false],
    ['key 0, without value', [0, 1, '.', 0, 0, 0, 0], ['0:0'], false],
    ['keys out of order', [0, 1, '.', hint, alpn], ['4:4'], true],
    ['a key twice', [0, 1, '.', hint, hint], ['4:4'], true],
    ['a value that overruns', [0, 1, '.', alpn, 0, 4, 0, 5, 1, 2, 3, 4], ['1:3'], true],
    ['half a parameter', [0, 1, '.', 0, 4, 0], [], true],
    ['a target that is cut off', [0, 1, 3, 0x61], undefined, true],
    ['no target', [0, 1], undefined, true],
    ['nothing', [], undefined, true],
  ];
  const cursor = new SvcParamCursor();
  for (const [name, parts, expected, malformed] of cases) {
    it(name, () => {
      const data = bytesOf(...parts);
      const found: string[] = [];
      const isStarted = cursor.start(bytesOf(7, data, 0, 9, 0, 0), 1, data.length);
      while (cursor.next()) found.push(`${cursor.key}:${cursor.valueLength}`);
      assert.deepEqual(isStarted ? found : undefined, expected);
      assert.equal(cursor.malformed, malformed);
      if (isStarted) assert.deepEqual([cursor.priority, cursor.targetAt], [data[1], 3]);
    });
  }
});
