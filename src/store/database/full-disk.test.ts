// A database that was opened on a full disk, on a small file system made for it (which needs root).

import assert from 'node:assert/strict';
import { rmSync, statSync, truncateSync } from 'node:fs';
import { describe, it, mock } from 'node:test';
import { fillDisk, mountSmallDisk, needsRoot } from '#testing/platform/small-disk';
import { openStorage } from './storage.ts';

describe('a database opened on a full disk', { skip: needsRoot }, () => {
  it('stays in trouble while there is room for a small write only', async (t) => {
    const { dir: dataDir, unmount } = mountSmallDisk(4);
    t.after(unmount);
    await (await opened(dataDir)).storage.close();
    const filler = fillDisk(dataDir);
    const { storage, onRoom } = await opened(dataDir);
    assert.match(storage.trouble() ?? '', /disk/u);
    for (const freeBytes of [8_192, 65_536]) {
      truncateSync(filler, statSync(filler).size - freeBytes);
      // A change that writes nothing makes the store try a write of its own.
      assert.equal((await storage.change('test', async () => undefined)).ok, true);
      assert.match(storage.trouble() ?? '', /the disk is full/u);
    }
    assert.equal(onRoom.mock.callCount(), 0);
    rmSync(filler);
    await storage.change('test', async () => undefined);
    assert.deepEqual([storage.trouble(), onRoom.mock.callCount()], [undefined, 1]);
    await storage.close();
  });
});

async function opened(dataDir: string) {
  const onRoom = mock.fn();
  const storage = await openStorage({ dataDir, nowMs: Date.now, onBroken: assert.fail, onRoom });
  if (typeof storage === 'string') assert.fail(storage);
  return { storage, onRoom };
}
