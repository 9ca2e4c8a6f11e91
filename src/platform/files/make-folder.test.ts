// Folders that can be created, and the reasons why others cannot. The kernel's own file systems are real
// ones.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';

import { makeFolder } from './make-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-folder-'));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'file'), '');
mkdirSync(join(folder, 'there'));
symlinkSync('there', join(folder, 'link'));
symlinkSync('nowhere', join(folder, 'dangling'));

describe('makeFolder', () => {
  test('makes a folder and those above it, for this user alone', () => {
    const path = join(folder, 'a', 'b', 'c');
    assert.equal(makeFolder(path), undefined);
    assert.equal(statSync(path).mode & 0o777, 0o700);
  });

  for (const name of ['there', 'link']) {
    test(`accepts an existing folder: ${name}`, () => {
      assert.equal(makeFolder(join(folder, name)), undefined);
    });
  }

  const refused = [
    ['a file', join(folder, 'file'), 'there is a file where a folder is needed (ENOTDIR)'],
    [
      'a folder below a file',
      join(folder, 'file', 'x'),
      'there is a file where a folder is needed (ENOTDIR)',
    ],
    ['a link to nothing', join(folder, 'dangling'), 'there is a file where a folder is needed (ENOTDIR)'],
    ['a folder in /proc', '/proc/nope', 'the file system does not allow new folders there (ENOENT)'],
    ['a deep folder in /proc', '/proc/nope/a/b', 'the file system does not allow new folders there (ENOENT)'],
  ] as const;
  for (const [what, path, reason] of refused) {
    test(`returns the reason why the folder cannot be created: ${what}`, () => {
      assert.equal(makeFolder(path), reason);
    });
  }
});
