// Runs the suite of all backends on SQLite. In addition it tests what the port cannot show: a change is in
// the file when it is acknowledged.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { testStorage } from '#testing/store/behaviour';
import { addGroup } from '#testing/store/scene';
import { openStorage, type Storage } from './storage.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-behaviour-'));
after(() => rmSync(root, { recursive: true }));

const newFolder = (): string => mkdtempSync(join(root, 'data-'));

async function open(dataDir: string, nowMs: () => number): Promise<Storage> {
  const storage = await openStorage({ dataDir, nowMs, onDamaged: assert.fail });
  return typeof storage === 'string' ? assert.fail(storage) : storage;
}

describe('SQLite', () => {
  testStorage(() => {
    const dataDir = newFolder();
    return (nowMs) => open(dataDir, nowMs);
  });

  it('another connection reads a change as soon as it is acknowledged', async () => {
    const dataDir = newFolder();
    const storage = await open(dataDir, () => 1_700_000_000_000);
    const other = new DatabaseSync(join(dataDir, 'sluice.db'), { readOnly: true });
    const select = other.prepare("select name from groups where name = 'kids'");
    assert.equal(select.get(), undefined);
    await addGroup(storage, 'kids');
    assert.notEqual(select.get(), undefined);
    other.close();
    await storage.close();
  });
});
