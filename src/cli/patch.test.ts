import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { patchOf } from './patch.ts';

describe('patches', () => {
  const table: readonly (readonly [Parameters<typeof patchOf>[0], object | undefined])[] = [
    [{}, undefined],
    [{ name: undefined, enable: undefined }, undefined],
    [{ enable: true }, { enabled: true }],
    [{ disable: true }, { enabled: false }],
    [{ comment: '' }, { comment: '' }],
    [{ expires_at: null }, { expires_at: null }],
    [
      { name: 'x', groups: [0] },
      { name: 'x', groups: [0] },
    ],
  ];
  for (const [options, patch] of table) {
    it(JSON.stringify(options), () => assert.deepEqual(patchOf(options), patch));
  }
});
