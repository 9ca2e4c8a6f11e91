// A bundle that another user has built, for example root with `sudo npm run build`. This file needs its own
// process, because it changes the user of the process and so would affect other tests.

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
const otherUser = 65_534;

after(() => {
  if (!isRoot) for (const name of readdirSync(place)) chmodSync(join(place, name), 0o755);
  rmSync(place, { recursive: true, force: true });
});

test('a bundle of another user is replaced, even if its files cannot be removed', async () => {
  await replaceBundle(dist, writing('old'));
  makeForeign(dist);
  await replaceBundle(dist, async (folder) => {
    becomeOtherUser();
    await writing('new')(folder);
  });
  becomeRoot();
  assert.equal(readFileSync(join(dist, 'main.js'), 'utf8'), 'new');
  const [left = ''] = readdirSync(place).filter((name) => name.startsWith('.dist-old-'));
  assert.notEqual(left, '', 'All files could be removed, so this test proves nothing.');
  utimesSync(join(place, left), 0, 0);
  becomeOtherUser();
  removeLeftovers(dist);
  becomeRoot();
});

/** The other user may write to the parent folder, but not to the bundle. */
function makeForeign(folder: string): void {
  chmodSync(place, 0o777);
  chmodSync(folder, isRoot ? 0o755 : 0o555);
}

function becomeOtherUser(): void {
  if (isRoot) process.seteuid?.(otherUser);
}

function becomeRoot(): void {
  if (isRoot) process.seteuid?.(0);
}

function writing(text: string): (folder: string) => Promise<void> {
  return (folder) => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'main.js'), text);
    return Promise.resolve();
  };
}
