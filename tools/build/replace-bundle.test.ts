// The content of the bundle folder during and after a build, also with two builds at the same time.

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';

import { replaceBundle } from './replace-bundle.ts';

const place = mkdtempSync(join(tmpdir(), 'sluice-bundle-'));
const dist = join(place, 'dist');
after(() => rmSync(place, { recursive: true, force: true }));
beforeEach(() => rmSync(dist, { recursive: true, force: true }));

describe('replaceBundle', () => {
  test('keeps the old bundle until the new one is complete, and leaves no other files', async () => {
    await replaceBundle(dist, writing('old'));
    await replaceBundle(dist, async (folder) => {
      assert.equal(bundle(), 'old');
      await writing('new')(folder);
      assert.equal(bundle(), 'old');
    });
    assert.equal(bundle(), 'new');
    assert.deepEqual(readdirSync(place), ['dist']);
  });

  test('removes files that the new bundle does not have', async () => {
    await replaceBundle(dist, writing('old', 'chunk.js'));
    await replaceBundle(dist, writing('new'));
    assert.ok(!existsSync(join(dist, 'chunk.js')));
  });

  test('keeps the old bundle when the build fails', async () => {
    await replaceBundle(dist, writing('old'));
    const failing = replaceBundle(dist, async (folder) => {
      await writing('half')(folder);
      throw new Error('A wrong line.');
    });
    await assert.rejects(failing, /A wrong line/);
    assert.equal(bundle(), 'old');
    assert.deepEqual(readdirSync(place), ['dist']);
  });

  test('keeps the bundle that another build of the same sources has installed meanwhile', async () => {
    await replaceBundle(dist, async (folder) => {
      await replaceBundle(dist, writing('other'));
      await writing('own')(folder);
    });
    assert.equal(bundle(), 'other');
    assert.deepEqual(readdirSync(place), ['dist']);
  });

  test('replaces a bundle that another build has made from other sources', async () => {
    await replaceBundle(dist, async (folder) => {
      await replaceBundle(dist, writing('other'));
      writeFileSync(join(dist, 'built-from'), 'other sources');
      await writing('own')(folder);
    });
    assert.equal(bundle(), 'own');
  });
});

function writing(text: string, ...more: readonly string[]): (folder: string) => Promise<void> {
  return (folder) => {
    mkdirSync(folder, { recursive: true });
    for (const name of ['main.js', ...more]) writeFileSync(join(folder, name), text);
    return Promise.resolve();
  };
}

function bundle(): string {
  return readFileSync(join(dist, 'main.js'), 'utf8');
}
