import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { locate } from './locate.ts';

const dir = mkdtempSync(join(tmpdir(), 'sluice-locate-'));
after(() => rmSync(dir, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
}

describe('locate', () => {
  const file = write('good.toml', '[storage]\ndir = "/from/file"\n');

  it('prefers the command-line option to the variable', () => {
    const other = write('other.toml', '');
    assert.equal(locate(file, { SLUICE_CONFIG: other }).configFile, file);
    assert.equal(locate(undefined, { SLUICE_CONFIG: other }).configFile, other);
  });

  const folders: readonly (readonly [what: string, env: Record<string, string>, dataDir: string])[] = [
    ['the environment', { SLUICE_CONFIG: file, SLUICE_STORAGE_DIR: '/from/env' }, '/from/env'],
    ['the file', { SLUICE_CONFIG: file, STATE_DIRECTORY: '/state' }, '/from/file'],
    [
      'the state folder of systemd',
      { SLUICE_CONFIG: write('empty.toml', ''), STATE_DIRECTORY: '/state:/b' },
      '/state',
    ],
    ['./data', { SLUICE_CONFIG: write('empty.toml', '') }, resolve('data')],
  ];
  for (const [what, env, dataDir] of folders) {
    it(`finds the data folder by ${what}`, () => assert.equal(locate(undefined, env).dataDir, dataDir));
  }

  it('reports a named file that does not exist', () => {
    assert.match(locate(join(dir, 'missing.toml'), {}).problem ?? '', /missing\.toml.*does not exist/);
  });

  it('reports a file that is not TOML, and the line of the mistake', () => {
    const { problem, file: content } = locate(write('bad.toml', 'web = = 1\n'), {});
    assert.match(problem ?? '', /bad\.toml cannot be used: [\s\S]*1:/);
    assert.deepEqual(content, {});
  });
});
