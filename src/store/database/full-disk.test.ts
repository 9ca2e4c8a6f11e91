// A database that was opened on a full disk, in a small file system for this test (mounting needs root).

import assert from 'node:assert/strict';
import { rmSync, statSync, truncateSync } from 'node:fs';
import { describe, it, mock } from 'node:test';
import { fillDisk, mountSmallDisk, needsRoot } from '#testing/platform/small-disk';
import { openStorage } from './storage.ts';

describe('a database opened on a full disk', { skip: needsRoot }, () => {
  it('stays in trouble until there is space for more than a small write', async (t) => {
    const { dir: dataDir, unmount } = mountSmallDisk(4);
    t.after(unmount);
    await (await opened(dataDir)).storage.close();
    const filler = fillDisk(dataDir);
    const { storage, onWritable } = await opened(dataDir);
    assert.match(storage.trouble() ?? '', /disk/u);
    for (const freeBytes of [8_192, 65_536]) {
      truncateSync(filler, statSync(filler).size - freeBytes);
      // After a change without effect the store makes a test write.
      assert.equal((await storage.change('test', async () => undefined)).ok, true);
      assert.match(storage.trouble() ?? '', /the disk is full/u);
    }
    assert.equal(onWritable.mock.callCount(), 0);
    rmSync(filler);
    await storage.change('test', async () => undefined);
    assert.deepEqual([storage.trouble(), onWritable.mock.callCount()], [undefined, 1]);
    await storage.close();
  });
});

async function opened(dataDir: string) {
  const onWritable = mock.fn();
  const storage = await openStorage({ dataDir, nowMs: Date.now, onDamaged: assert.fail, onWritable });
  if (typeof storage === 'string') assert.fail(storage);
  return { storage, onWritable };
}
