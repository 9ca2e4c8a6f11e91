// `sluice serve` with an unusable data folder says why and what to do, and ends. A folder that is open to
// other users is used and closed to them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { bootFor, loopbackEnvironment } from './running/boot.ts';
import { temporaryFolder } from './running/folder.ts';
import { root, runCommand, type CommandResult } from './running/program.ts';

const folder = temporaryFolder();
writeFileSync(join(folder, 'file'), '');
const closed = join(folder, 'closed');
mkdirSync(closed, { mode: 0o700 });
chmodSync(folder, 0o755);

const asAnother = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
/** Mounts a read-only file system in its own mount namespace. */
const readOnly = [
  'unshare',
  '-m',
  'sh',
  '-c',
  'mount -t tmpfs -o ro none "$SLUICE_STORAGE_DIR" && exec "$0" "$@"',
];

const unusable: readonly (readonly [what: string, path: string, says: RegExp, wrap?: readonly string[]])[] = [
  ['in /proc', '/proc/nope', /does not allow new folders there \(ENOENT\)/],
  ['that is /proc', '/proc', /cannot be locked/],
  ['that is a device', '/dev/null', /there is a file where a folder is needed/],
  ['that is a file', join(folder, 'file'), /there is a file where a folder is needed/],
  ['below a file', join(folder, 'file', 'x', 'y'), /there is a file where a folder is needed/],
  ['of another user', closed, /this user may not write/, asAnother],
  ['in a folder of another user', join(closed, 'x'), /this user may not make folders there/, asAnother],
  ['on a read-only file system', closed, /the file system is read-only/, readOnly],
];

describe('sluice serve', { concurrency: 2 }, () => {
  for (const [what, path, says, wrap] of unusable) {
    const skip = wrap === undefined || canRun(wrap) ? false : `cannot run ${wrap[0]} here`;
    test(`with a data folder ${what} ends with a message and code 1`, { skip }, async () => {
      const { code, out, err } = await start(['serve'], path, wrap);
      assert.equal(code, 1, err);
      assert.match(err, says);
      assert.ok(err.includes(path), `${err} does not name ${path}`);
      assert.match(err, /The service was not started\.\n$/);
      assert.equal(out, '');
    });
  }
});

describe('sluice status', () => {
  for (const path of ['/proc', '/proc/nope']) {
    test(`with the data folder ${path} says that no service is running there`, async () => {
      const { code, err } = await start(['status'], path);
      assert.equal(code, 3);
      assert.match(err, new RegExp(`^No service is running at ${path}/control.sock`));
    });
  }
});

/** Needs root, and a checkout that other users may read. */
function canRun([program = '', ...args]: readonly string[]): boolean {
  const env = { ...process.env, SLUICE_STORAGE_DIR: closed };
  return spawnSync(program, [...args, 'test', '-r', join(root, 'package.json')], { env }).status === 0;
}

function start(args: readonly string[], path: string, wrap: readonly string[] = []): Promise<CommandResult> {
  const dir = temporaryFolder();
  // Another user must be able to enter, although the data is elsewhere.
  chmodSync(dir, 0o755);
  return runCommand(args, { dir, wrap, env: { ...loopbackEnvironment, SLUICE_STORAGE_DIR: path } });
}

describe('sluice serve in a folder that is open to other users', () => {
  test('closes it and its compile cache to them, and says so', async (t) => {
    const dir = temporaryFolder();
    const cache = join(dir, 'compile-cache');
    mkdirSync(cache);
    for (const path of [dir, cache]) chmodSync(path, 0o755);
    const service = await bootFor(t, { dir, env: { SLUICE_WEB_HTTPS: '' } });
    await service.logged(/warn .*was open to other users \(mode 0755\); its mode is now 0700/);
    const inside = readdirSync(cache).map((name) => join(cache, name));
    assert.ok(inside.length > 0, 'The compile cache has no folder.');
    for (const path of [dir, cache, ...inside]) assert.equal(statSync(path).mode & 0o777, 0o700, path);
  });
});
