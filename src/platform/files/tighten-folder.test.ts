import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';

import { tightenCompileCache, tightenFolder } from './tighten-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-tighten-'));
after(() => rmSync(root, { recursive: true }));

function folder(mode: number, ...files: readonly string[]): string {
  const path = mkdtempSync(join(root, 'x'));
  for (const name of files) writeFileSync(join(path, name), '');
  chmodSync(path, mode);
  return path;
}
function modeOf(path: string): number {
  return statSync(path).mode & 0o7777;
}

describe('tightenFolder', () => {
  test('a folder of mode 0755 with files of the service is changed to 0700 and reported', () => {
    const path = folder(0o755, 'lock', 'sluice.db', 'sluice.db-wal', 'history-journal-0.bin', 'cache-1.bin');
    assert.match(tightenFolder(path) ?? '', /was open to other users \(mode 0755\); its mode is now 0700/);
    assert.equal(modeOf(path), 0o700);
    assert.equal(tightenFolder(path), undefined);
  });

  test('a folder with files of others is reported and not changed', () => {
    const path = folder(0o755, 'sluice.db', 'holiday.jpg');
    assert.match(tightenFolder(path) ?? '', /is open to other users \(mode 0755\).*chmod 700/);
    assert.equal(modeOf(path), 0o755);
  });

  test('a folder of another user is reported and not changed', { skip: process.getuid?.() !== 0 }, () => {
    const path = folder(0o755, 'sluice.db');
    chownSync(path, 65_534, 65_534);
    assert.match(tightenFolder(path) ?? '', /is open to other users \(mode 0755\).*chmod 700/);
    assert.equal(modeOf(path), 0o755);
  });
});

describe('tightenCompileCache', () => {
  test('its folders get 0700', () => {
    const path = join(folder(0o700), 'compile-cache');
    mkdirSync(join(path, 'v26-x64'), { recursive: true });
    chmodSync(join(path, 'v26-x64'), 0o755);
    tightenCompileCache(path);
    assert.deepEqual([modeOf(path), modeOf(join(path, 'v26-x64'))], [0o700, 0o700]);
  });

  test('where it is a link, its target is not changed', () => {
    const elsewhere = folder(0o755);
    const link = join(folder(0o700), 'compile-cache');
    symlinkSync(elsewhere, link);
    tightenCompileCache(link);
    assert.equal(modeOf(elsewhere), 0o755);
  });
});
