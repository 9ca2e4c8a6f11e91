// A cache on the disk is taken once, and what cannot be taken is no cache and no failure.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { readAndRemoveCacheFile, writeCacheFile } from './cache-store.ts';

const dir = mkdtempSync(join(tmpdir(), 'sluice-cache-'));
after(() => rmSync(dir, { recursive: true }));

test('a stored cache is read once', () => {
  assert.equal(writeCacheFile(dir, 0, Uint8Array.of(1, 2, 3)), undefined);
  assert.deepEqual([...(readAndRemoveCacheFile(dir, 0) ?? [])], [1, 2, 3]);
  assert.equal(readAndRemoveCacheFile(dir, 0), undefined);
});

test('a stored cache that can be neither read nor removed is left alone', () => {
  mkdirSync(join(dir, 'cache-2.bin', 'inside'), { recursive: true });
  assert.equal(readAndRemoveCacheFile(dir, 1), undefined);
});
