import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { loadSnapshotFile, readBuildRecord } from './snapshot-file.ts';
import { block, compileScene } from '#testing/lists/compile-scene';
import { temporaryFolder } from '#testing/lists/list-scene';

interface Files {
  readonly snapshot: Buffer;
  readonly record: Buffer;
}

/** The files of two builds: one name, then two names. */
async function twoBuilds(t: TestContext): Promise<{ path: string; old: Files; young: Files }> {
  const scene = await compileScene(temporaryFolder(t));
  const path = scene.snapshotPath;
  const build = async (text: string): Promise<Files> => {
    await scene.store(1, text);
    assert.equal((await scene.compile([block(1)])).kind, 'built');
    return { snapshot: readFileSync(path), record: readFileSync(`${path}.json`) };
  };
  return { path, old: await build('one.example\n'), young: await build('one.example\ntwo.example\n') };
}

describe('the previous snapshot', () => {
  it('is kept beside the new one; after the first build both are the same', async (t) => {
    const scene = await compileScene(temporaryFolder(t));
    const path = scene.snapshotPath;
    const builds: Buffer[] = [];
    for (const text of ['one.example\n', 'two.example\n', 'three.example\n']) {
      await scene.store(1, text);
      assert.equal((await scene.compile([block(1)])).kind, 'built');
      builds.push(readFileSync(path));
      assert.deepEqual(readFileSync(`${path}.previous`), builds.at(-2) ?? builds[0]);
    }
  });

  it('does not change when the newest snapshot is damaged', async (t) => {
    const { path, old } = await twoBuilds(t);
    writeFileSync(path, 'garbage');
    assert.equal(loadSnapshotFile(path).kind, 'unusable');
    assert.deepEqual(readFileSync(`${path}.previous`), old.snapshot);
  });
});

describe('the build record', () => {
  it('belongs to the snapshot on disk, wherever writing the next one was interrupted', async (t) => {
    const { path, old, young } = await twoBuilds(t);
    const next = `${path}.next.json`;
    assert.equal(readBuildRecord(path)?.names, 2);
    // The new record is written, the new snapshot is not.
    writeFileSync(path, old.snapshot);
    writeFileSync(`${path}.json`, old.record);
    writeFileSync(next, young.record);
    assert.deepEqual([readBuildRecord(path)?.names, readBuildRecord(path)?.lists[0]?.version], [1, 1]);
    // Both are written, but the record is not renamed yet.
    writeFileSync(path, young.snapshot);
    assert.deepEqual([readBuildRecord(path)?.names, readBuildRecord(path)?.lists[0]?.version], [2, 2]);
    copyFileSync(next, `${path}.json`);
    assert.equal(readBuildRecord(path)?.names, 2);
  });

  it('is the last one when the snapshot is missing, and undefined when it matches no snapshot', async (t) => {
    const { path, old } = await twoBuilds(t);
    rmSync(path);
    assert.equal(readBuildRecord(path)?.names, 2);
    writeFileSync(path, old.snapshot);
    assert.equal(readBuildRecord(path), undefined);
    writeFileSync(`${path}.json`, '{"format":2,');
    assert.equal(readBuildRecord(path), undefined);
  });
});
