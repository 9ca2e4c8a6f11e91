import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { CompileOutcome } from './compile-job.ts';
import { loadSnapshotFile, readBuildRecord } from '../snapshot/snapshot-file.ts';
import { allow, block, compileScene, verdictIn } from '#testing/lists/compile-scene';
import { flipped } from '#testing/flipped';
import { namesText, temporaryFolder } from '#testing/lists/list-scene';

type Built = Extract<CompileOutcome, { kind: 'built' }>;

function built(outcome: CompileOutcome): Built {
  assert.ok(outcome.kind === 'built', 'reason' in outcome ? outcome.reason : '');
  return outcome;
}

describe('compiled lists', () => {
  it('become one snapshot, in memory and on disk', async (t) => {
    const { store, compile, snapshotPath } = await compileScene(temporaryFolder(t));
    await store(1, 'ads.example\nads.example\n||below.example^\nno name at all\n##.banner\n');
    await store(2, 'ads.example\nother.example\n/^ad[0-9]+\\./\n');
    await store(3, 'www.below.example\n@@||fine.example^\n');
    const outcome = built(await compile([block(1), block(2), allow(3), block(4)]));
    const counted = outcome.lists.map(({ id, version, report, duplicates }) => [
      id,
      version,
      report?.entries,
      duplicates,
      report?.skipped,
      report?.invalid,
    ]);
    assert.deepEqual(counted, [
      [1, 1, 3, 1, 1, 1],
      [2, 1, 3, 0, 0, 0],
      [3, 1, 2, 0, 0, 0],
      [4, 0, undefined, 0, undefined, undefined],
    ]);
    assert.equal(outcome.lists[0]?.report?.samples[0]?.line, 4);
    assert.ok(outcome.tookMs > 0 && outcome.memoryPeakBytes > outcome.memoryBeforeBytes);
    const loaded = loadSnapshotFile(snapshotPath);
    assert.ok(loaded.kind === 'loaded');
    for (const buffer of [outcome.buffer, loaded.buffer]) {
      assert.equal(await verdictIn(buffer, 'ads.example'), 'block');
      assert.equal(await verdictIn(buffer, 'x.below.example'), 'block');
      assert.equal(await verdictIn(buffer, 'www.below.example'), 'allow');
      assert.equal(await verdictIn(buffer, 'ad7.example'), 'block');
      assert.equal(await verdictIn(buffer, 'x.example'), 'pass');
    }
    assert.deepEqual(readBuildRecord(snapshotPath)?.lists[1], {
      id: 2,
      version: 1,
      entries: 3,
      duplicates: 0,
    });
    assert.equal(readFileSync(snapshotPath).length, outcome.snapshotBytes);
  });

  it('without any list become an empty snapshot', async (t) => {
    const { compile } = await compileScene(temporaryFolder(t));
    assert.equal(built(await compile([])).names, 0);
  });

  it('reuse the buffer that is passed in, without growing it', async (t) => {
    const { store, compile } = await compileScene(temporaryFolder(t));
    await store(1, namesText(20_000));
    const buffers = [
      built(await compile([block(1)])).buffer,
      built(await compile([block(1)])).buffer,
    ] as const;
    const sizes = buffers.map(({ byteLength }) => byteLength);
    for (let turn = 0; turn < 20; turn++) {
      await store(1, namesText(20_000, turn));
      const buffer = buffers[turn % 2];
      const outcome = built(await compile([block(1)], { buffer }));
      assert.equal(outcome.buffer, buffer);
      assert.equal(await verdictIn(outcome.buffer, `host-${turn + 19_999}.example`), 'block');
      assert.equal(await verdictIn(outcome.buffer, `host-${turn - 1}.example`), 'pass');
    }
    // A few bytes, because some counts get more digits.
    for (const [at, { byteLength }] of buffers.entries()) assert.ok(byteLength - (sizes[at] ?? 0) <= 64);
  });

  it('use the requested version, or after a rollback the earlier one', async (t) => {
    const { store, compile, copies } = await compileScene(temporaryFolder(t));
    await store(1, 'one.example\n');
    await store(1, 'two.example\n');
    const pinned = built(await compile([{ ...block(1), version: 1 }]));
    assert.equal(await verdictIn(pinned.buffer, 'one.example'), 'block');
    assert.equal(await verdictIn(built(await compile([block(1)])).buffer, 'one.example'), 'pass');
    copies.rollBack(1, 1);
    assert.equal(await verdictIn(built(await compile([block(1)])).buffer, 'one.example'), 'block');
  });

  it('fall back to an older copy when the newest is damaged, and count the damaged one', async (t) => {
    const { store, compile, listsFolder } = await compileScene(temporaryFolder(t));
    await store(1, 'one.example\n');
    await store(1, 'two.example\n');
    truncateSync(join(listsFolder, '1', '2.zst'), 5);
    const outcome = built(await compile([block(1)]));
    assert.deepEqual([outcome.lists[0]?.version, outcome.lists[0]?.damaged], [1, 1]);
    assert.equal(await verdictIn(outcome.buffer, 'one.example'), 'block');
  });
});

describe('a build with a suspicious change', () => {
  it('is held with list and numbers until it is accepted', async (t) => {
    const { store, compile, snapshotPath } = await compileScene(temporaryFolder(t));
    await store(1, namesText(3000));
    await store(2, namesText(50));
    built(await compile([block(1), block(2)]));
    const file = readFileSync(snapshotPath);
    await store(2, namesText(500));
    for (const count of [2000, 6001]) {
      await store(1, namesText(count));
      const outcome = await compile([block(1), block(2)]);
      assert.ok(outcome.kind === 'held');
      assert.match(outcome.reason, new RegExp(`list 1 \\(list 1\\).*3000 before, ${count} now`));
      assert.deepEqual(
        outcome.suspicions.map(({ listId, before, after }) => [listId, before, after]),
        [[1, 3000, count]],
      );
      assert.ok(readFileSync(snapshotPath).equals(file));
    }
    assert.equal(built(await compile([block(1), block(2)], { accepted: [1] })).names, 6001);
    assert.equal((await compile([block(1), block(2)])).kind, 'built');
  });

  it('is held when a list has lost all its copies', async (t) => {
    const { store, compile, listsFolder } = await compileScene(temporaryFolder(t));
    await store(1, namesText(3000));
    built(await compile([block(1)]));
    rmSync(join(listsFolder, '1'), { recursive: true });
    assert.equal((await compile([block(1)])).kind, 'held');
  });

  it('is not held when a list was added or removed', async (t) => {
    const { store, compile } = await compileScene(temporaryFolder(t));
    await store(1, namesText(3000));
    await store(2, namesText(9000));
    built(await compile([block(1)]));
    built(await compile([block(1), block(2)]));
    assert.equal(built(await compile([block(2)])).names, 9000);
  });
});

describe('a build that fails', () => {
  it('leaves the old file in place', async (t) => {
    const folder = temporaryFolder(t);
    const { store, compile, snapshotPath } = await compileScene(folder);
    await store(1, 'one.example\n');
    built(await compile([block(1)]));
    const file = readFileSync(snapshotPath);
    // A folder with the name of the draft file makes the write fail.
    mkdirSync(`${snapshotPath}.making`);
    await store(1, 'two.example\n');
    const outcome = await compile([block(1)]);
    assert.ok(outcome.kind === 'failed');
    assert.match(outcome.reason, /could not be compiled.*in force stays/);
    assert.ok(readFileSync(snapshotPath).equals(file));
  });
});

describe('the snapshot file', () => {
  it('may be missing, and is renamed when it is damaged', async (t) => {
    const folder = temporaryFolder(t);
    const { store, compile, snapshotPath } = await compileScene(folder);
    assert.equal(loadSnapshotFile(snapshotPath).kind, 'none');
    await store(1, namesText(1000));
    built(await compile([block(1)]));
    const bytes = readFileSync(snapshotPath);
    for (const wrong of [bytes.subarray(0, 5000), Buffer.alloc(0), flipped(bytes, 2000)]) {
      writeFileSync(snapshotPath, wrong);
      assert.equal(loadSnapshotFile(snapshotPath).kind, 'unusable');
      assert.ok(!existsSync(snapshotPath));
    }
    mkdirSync(join(snapshotPath, 'folder'), { recursive: true });
    assert.deepEqual(loadSnapshotFile(snapshotPath), { kind: 'unusable', problem: 'unreadable' });
    assert.deepEqual(
      readdirSync(folder)
        .filter((name) => name.startsWith('snapshot'))
        .toSorted(),
      ['snapshot.bin.damaged', 'snapshot.bin.json', 'snapshot.bin.previous'],
    );
    built(await compile([block(1)]));
    assert.equal(loadSnapshotFile(snapshotPath).kind, 'loaded');
  });
});
