import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '#testing/lists/list-scene';
import { readJson, writeWhole, writeWholeJson } from './whole-file.ts';

describe('a file that is written as a whole', () => {
  it('leaves no other file beside it', (t) => {
    const folder = temporaryFolder(t);
    const path = join(folder, 'file');
    writeWholeJson(path, { old: true });
    writeWhole(path, Buffer.from('[7]'));
    assert.deepEqual([readFileSync(path, 'utf8'), readJson(path, 10)], ['[7]', [7]]);
    assert.deepEqual(readdirSync(folder), ['file']);
  });

  it('leaves no draft when writing fails', (t) => {
    const folder = temporaryFolder(t);
    // A folder in its place makes the last step fail; a full disk would fail an earlier one.
    mkdirSync(join(folder, 'file', 'full'), { recursive: true });
    assert.throws(() => writeWhole(join(folder, 'file'), Buffer.alloc(1_000_000)));
    assert.deepEqual(readdirSync(folder), ['file']);
  });

  for (const synced of ['nothing', 'content', 'name'] as const)
    it(`has the given mode and no draft when ${synced} is synced`, (t) => {
      const folder = temporaryFolder(t);
      const path = join(folder, 'file');
      let found: string[] = [];
      const makeWay = (): void => void (found = readdirSync(folder));
      writeWhole(path, Buffer.from('[7]'), { synced, mode: 0o400, makeWay });
      assert.deepEqual(found, ['file.making']);
      assert.equal(statSync(path).mode & 0o777, 0o400);
      assert.deepEqual(readdirSync(folder), ['file']);
    });

  it('is not read above its size limit', (t) => {
    const path = join(temporaryFolder(t), 'file');
    writeWhole(path, Buffer.from('[7]'));
    assert.equal(readJson(path, 2), undefined);
  });
});
