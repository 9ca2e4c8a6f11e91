import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suspicionsOf } from './suspicion.ts';

const rows: readonly (readonly [number | undefined, number, boolean])[] = [
  [undefined, 5_000_000, false],
  [1000, 0, false],
  [1000, 900_000, false],
  [1001, 0, true],
  [1001, 701, false],
  [1001, 700, true],
  [2000, 1400, false],
  [2000, 1399, true],
  [2000, 4000, false],
  [2000, 4001, true],
  [2000, 2000, false],
  [1_000_000, 10, true],
];

describe('a change of a list', () => {
  for (const [before, after, isSuspicious] of rows) {
    it(`from ${before} to ${after} entries is ${isSuspicious ? '' : 'not '}suspicious`, () => {
      const found = suspicionsOf([{ id: 7, name: 'ads', before, after }], [8]);
      assert.equal(found.length === 1, isSuspicious);
      if (isSuspicious)
        assert.match(found[0]?.text ?? '', new RegExp(`7 \\(ads\\).* ${before} .* ${after} `));
      assert.deepEqual(suspicionsOf([{ id: 7, name: 'ads', before, after }], [7]), []);
    });
  }
});
