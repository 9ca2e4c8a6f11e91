// The bundle of a checkout when `bin/sluice` is called: missing, fresh, outdated, or impossible to build.
// Each case uses a small checkout; test/npm-start.test.ts starts the whole one.

import assert from 'node:assert/strict';
import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  globSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { temporaryFolder } from './running/folder.ts';
import {
  copyCheckout,
  hasBundle,
  printing,
  smallCheckout,
  type SmallCheckout,
} from './running/small-checkout.ts';
import { until, within } from './running/waiting.ts';

const BUILDS_FIRST = /^sluice: building the bundle in \S.*\/dist, because there is none yet\.\n$/;
const BUILDS_AGAIN = /^sluice: building the bundle in \S.*\/dist, because the sources have changed\.\n$/;
const MOUNT = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$1"';
const isRoot = process.getuid?.() === 0;
let firstBuilt: SmallCheckout | undefined;

describe('bin/sluice in a checkout', () => {
  test('without a bundle builds it, says so in one line, and runs it', () => {
    const checkout = smallCheckout('one');
    assertRuns(start(checkout), 'one', BUILDS_FIRST);
    assert.deepEqual(leftovers(checkout), []);
  });

  test('with a fresh bundle runs it and prints nothing', () => {
    const checkout = built();
    assertRuns(start(checkout), 'one');
  });

  const changes: readonly (readonly [what: string, change: (checkout: SmallCheckout) => void])[] = [
    ['a source was changed', ({ write }) => write('src/cli/main.ts', printing('two'))],
    ['a source was added', ({ write }) => write('src/new.ts', '')],
    ['a source was deleted', ({ path }) => rmSync(path('src/cli/other.ts'))],
    ['a source was renamed', ({ path }) => renameSync(path('src/cli/other.ts'), path('src/cli/else.ts'))],
    ['the lockfile was changed', ({ write }) => write('package-lock.json', '{"lockfileVersion":3}')],
    ['a source was replaced by one with an older time', replaceByOlder],
    ['the bundle has no stamp', ({ path }) => rmSync(path('dist/built-from'))],
  ];
  for (const [what, change] of changes) {
    test(`builds the bundle again when ${what}`, () => {
      const checkout = built();
      change(checkout);
      const isChanged = readFileSync(checkout.path('src/cli/main.ts'), 'utf8').includes('two');
      const text = isChanged ? 'two' : 'one';
      assertRuns(start(checkout), text, BUILDS_AGAIN);
      assertRuns(start(checkout), text);
    });
  }

  const noChanges: readonly (readonly [what: string, change: (checkout: SmallCheckout) => void])[] = [
    [
      'a source got a new time and kept its contents',
      ({ path }) => touch(path('src/cli/main.ts'), new Date()),
    ],
    ['a test was added', ({ write }) => write('src/cli/main.test.ts', '')],
    ['a document was changed', ({ write }) => write('README.md', 'new')],
  ];
  for (const [what, change] of noChanges) {
    test(`does not build again when ${what}`, () => {
      const checkout = built();
      change(checkout);
      assertRuns(start(checkout), 'one');
      assertRuns(start(checkout), 'one');
    });
  }

  test('does not build again when the whole checkout was copied', () => {
    assertRuns(start(copyCheckout(built())), 'one');
  });

  test('builds once when the sources have times in the future', () => {
    const checkout = smallCheckout('one');
    touch(checkout.path('src/cli/main.ts'), new Date(Date.now() + 86_400_000));
    assertRuns(start(checkout), 'one', BUILDS_FIRST);
    assertRuns(start(checkout), 'one');
  });

  test('finds changes with a `find` that has no -cnewer', () => {
    const checkout = built();
    const bin = temporaryFolder();
    const script =
      '#!/bin/sh\nfor word; do [ "$word" != -cnewer ] || exit 1; done\nexec /usr/bin/find "$@"\n';
    writeFileSync(join(bin, 'find'), script, { mode: 0o755 });
    const path = `${bin}:/usr/bin:/bin`;
    assertRuns(run(checkout.launcher, [], path), 'one');
    checkout.write('src/cli/main.ts', printing('two'));
    assertRuns(run(checkout.launcher, [], path), 'two', BUILDS_AGAIN);
  });
});

describe('bin/sluice in a checkout that cannot build', () => {
  const noPackages = (checkout: SmallCheckout): void =>
    rmSync(checkout.path('node_modules/rolldown'), { recursive: true });

  test('says what to do and ends with 1 when there is no bundle and no development packages', () => {
    const checkout = smallCheckout('one');
    noPackages(checkout);
    assertRefuses(
      start(checkout),
      /^sluice: there is no bundle to run in .*: .*not installed\. Run `npm ci`.*\n$/,
    );
  });

  test('runs the old bundle with a warning when there are no development packages', () => {
    const checkout = changed(built());
    noPackages(checkout);
    assertRuns(start(checkout), 'one', /^sluice: warning: running an old bundle; .*Run `npm ci`.*\n$/);
  });

  test('runs a fresh bundle without a message when there are no development packages', () => {
    const checkout = built();
    noPackages(checkout);
    assertRuns(start(checkout), 'one');
  });

  const skip = isRoot && !canMount() ? 'cannot mount here' : false;
  test('says what to do and ends with 1 when it is read-only and has no bundle', { skip }, () => {
    const checkout = smallCheckout('one');
    assertRefuses(
      startReadOnly(checkout),
      /^sluice: there is no bundle to run in .*: .* is not writable\. .*\n$/,
    );
    assert.ok(!hasBundle(checkout));
  });

  test('runs the old bundle with a warning when it is read-only', { skip }, () => {
    const checkout = changed(built());
    assertRuns(
      startReadOnly(checkout),
      'one',
      /^sluice: warning: running an old bundle; .* is not writable\. .*\n$/,
    );
  });

  test('runs a fresh bundle without a message when it is read-only', { skip }, () => {
    const checkout = built();
    touch(checkout.path('src/cli/main.ts'), new Date());
    assertRuns(startReadOnly(checkout), 'one');
  });

  test('runs the old bundle with a warning when the build fails', () => {
    const checkout = built();
    checkout.write('src/cli/main.ts', 'broken');
    const ended = start(checkout);
    assert.deepEqual([ended.status, ended.stdout], [0, 'one\n']);
    assert.match(
      ended.stderr,
      /^sluice: build.*\nsluice: warning: running an old bundle; .* A wrong line\. Run `npm run build` .*\n$/,
    );
    assert.deepEqual(leftovers(checkout), []);
  });

  test('ends with 1 when the build fails and there is no bundle', () => {
    const checkout = smallCheckout('broken');
    const ended = start(checkout);
    assert.deepEqual([ended.status, ended.stdout], [1, '']);
    assert.match(
      ended.stderr,
      /^sluice: build.*\nsluice: there is no bundle to run in .* A wrong line\. Run `npm run build` .*\n$/,
    );
  });
});

describe('a build that is interrupted', () => {
  test('leaves no bundle where there was none, and the next start builds it', async () => {
    const checkout = smallCheckout('one');
    await killWhileBuilding(checkout);
    assert.ok(!hasBundle(checkout));
    assertRuns(start(checkout), 'one', BUILDS_FIRST);
  });

  test('leaves the old bundle unchanged, and the next start builds the new one', async () => {
    const checkout = changed(built());
    const before = statSync(checkout.bundle);
    await killWhileBuilding(checkout);
    assert.deepEqual(statSync(checkout.bundle), before);
    assertRuns(start(checkout), 'two', BUILDS_AGAIN);
  });

  test('leaves a folder that a build removes when it is two hours old', async () => {
    const checkout = smallCheckout('one');
    await killWhileBuilding(checkout);
    const [left = ''] = leftovers(checkout);
    touch(checkout.path(left), new Date(Date.now() - 7_200_000));
    assertRuns(start(checkout), 'one', BUILDS_FIRST);
    assert.deepEqual(leftovers(checkout), []);
  });
});

test('two starts at once both run the new bundle', async () => {
  const checkout = changed(built());
  const outputs = await Promise.all([outputOf(checkout), outputOf(checkout)]);
  assert.deepEqual(outputs, ['two\n', 'two\n']);
  assert.deepEqual(leftovers(checkout), []);
  assertRuns(start(checkout), 'two');
});

/** Its program prints `one`. A copy of the first built checkout is as fresh as after its first start. */
function built(): SmallCheckout {
  const checkout = copyCheckout((firstBuilt ??= buildFirst()));
  assertRuns(start(checkout), 'one');
  return checkout;
}

function buildFirst(): SmallCheckout {
  const checkout = smallCheckout('one');
  assertRuns(start(checkout), 'one', BUILDS_FIRST);
  return checkout;
}

function changed(checkout: SmallCheckout): SmallCheckout {
  checkout.write('src/cli/main.ts', printing('two'));
  return checkout;
}

/** Replaces the contents but keeps an old modification time, as tar and `cp -p` do. */
function replaceByOlder({ path, write }: SmallCheckout): void {
  const file = path('src/cli/main.ts');
  const { mtime } = statSync(path('src/cli'));
  write('src/cli/main.ts', printing('two'));
  touch(file, new Date('2020-01-01'));
  touch(path('src/cli'), mtime);
}

const touch = (path: string, time: Date): void => utimesSync(path, time, time);

const start = ({ launcher }: SmallCheckout): SpawnSyncReturns<string> => run(launcher);

function run(
  program: string,
  args: readonly string[] = [],
  path = '/usr/bin:/bin',
): SpawnSyncReturns<string> {
  return spawnSync(program, args, { cwd: '/', env: { PATH: path }, encoding: 'utf8', timeout: 60_000 });
}

/** Root may write everywhere except on a file system that is mounted read-only. */
function startReadOnly({ folder, launcher }: SmallCheckout): SpawnSyncReturns<string> {
  if (isRoot) return run('unshare', ['-m', 'sh', '-c', MOUNT, folder, launcher]);
  chmodSync(folder, 0o555);
  try {
    return run(launcher);
  } finally {
    chmodSync(folder, 0o755);
  }
}

function canMount(): boolean {
  const folder = temporaryFolder();
  return run('unshare', ['-m', 'sh', '-c', MOUNT, folder, '/bin/true']).status === 0;
}

async function killWhileBuilding(checkout: SmallCheckout): Promise<void> {
  checkout.write('hang', '');
  const child = spawn(checkout.launcher, { env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore', detached: true });
  const ended = once(child, 'exit');
  await until(
    'The build has written a file',
    () => globSync('.dist-new-*/main.js', { cwd: checkout.folder })[0],
  );
  // The process group: the launcher and its build.
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await within('The launcher is gone', 60_000, ended);
  rmSync(checkout.path('hang'));
}

async function outputOf({ launcher }: SmallCheckout): Promise<string> {
  const child = spawn(launcher, { env: { PATH: '/usr/bin:/bin' }, stdio: ['ignore', 'pipe', 'ignore'] });
  const chunks: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
  await within('The program ends', 60_000, once(child, 'close'));
  return chunks.join('');
}

const leftovers = ({ folder }: SmallCheckout): string[] => globSync('.dist-*', { cwd: folder });

function assertRuns(ended: SpawnSyncReturns<string>, prints: string, says = /^$/): void {
  assert.match(ended.stderr, says);
  assert.deepEqual([ended.status, ended.stdout], [0, `${prints}\n`]);
}

function assertRefuses(ended: SpawnSyncReturns<string>, says: RegExp): void {
  assert.match(ended.stderr, says);
  assert.deepEqual([ended.status, ended.stdout], [1, '']);
}
