// A bundle that another user has built, as root does with `sudo npm run build`. It has a process of its own,
// because the user of a process holds for all its threads, and so for other tests.

import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { removeLeftovers, replaceBundle } from './replace-bundle.ts';

const place = mkdtempSync(join(tmpdir(), 'sluice-foreign-bundle-'));
const dist = join(place, 'dist');
const isRoot = process.geteuid?.() === 0;
const nobody = 65_534;

after(() => {
  if (!isRoot) for (const name of readdirSync(place)) chmodSync(join(place, name), 0o755);
  rmSync(place, { recursive: true, force: true });
});

test('a bundle of another user is replaced, and what cannot be removed of it stops no build', async () => {
  await replaceBundle(dist, writing('old'));
  makeForeign(dist);
  await replaceBundle(dist, async (folder) => {
    becomeNobody();
    await writing('new')(folder);
  });
  becomeSelf();
  assert.equal(readFileSync(join(dist, 'main.js'), 'utf8'), 'new');
  const [left = ''] = readdirSync(place).filter((name) => name.startsWith('.dist-old-'));
  assert.notEqual(left, '', 'Everything could be removed: this test tests nothing.');
  utimesSync(join(place, left), 0, 0);
  becomeNobody();
  removeLeftovers(dist);
  becomeSelf();
});

/** Nobody may write the folder of the bundles, but not what is in the bundle. */
function makeForeign(folder: string): void {
  chmodSync(place, 0o777);
  chmodSync(folder, isRoot ? 0o755 : 0o555);
}

function becomeNobody(): void {
  if (isRoot) process.seteuid?.(nobody);
}

function becomeSelf(): void {
  if (isRoot) process.seteuid?.(0);
}

function writing(text: string): (folder: string) => Promise<void> {
  return (folder) => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'main.js'), text);
    return Promise.resolve();
  };
}
