// `bin/sluice` called in every way and with any Node. A small package stands in for the real one: it has the
// same launcher, and its program prints how it was started. This tests the shell script only;
// test/built-package.test.ts starts the whole package, and test/checkout-bundle.test.ts tests checkouts.

import assert from 'node:assert/strict';
import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';

import { copyLauncher, linkNode } from './running/built.ts';
import { temporaryFolder } from './running/folder.ts';
import { within } from './running/waiting.ts';

type StartReport = { readonly node: string; readonly main: string; readonly args: readonly string[] };

const START_REPORT = `console.log(JSON.stringify({
  node: process.execPath, main: process.argv[1], args: process.argv.slice(2),
}));
if (process.argv[2] === 'code') process.exitCode = Number(process.argv[3]);`;
const WAIT = `process.on('SIGTERM', () => process.exit(42));
setInterval(() => undefined, 1000);
console.log(process.pid);`;

/** The only system programs that the launcher may need. */
const TOOLS = ['sh', 'dirname', 'readlink', 'uname'];
const SHELLS = ['sh', 'dash', 'bash', 'busybox', 'mksh', 'zsh'].filter((name) => findProgram(name) !== '');

const noNode = toolsFolder();
const oldNode = toolsFolder('#!/bin/sh\necho 20\n');
const brokenNode = toolsFolder('#!/bin/sh\nexit 1\n');
const newNode = toolsFolder();
symlinkSync(process.execPath, join(newNode, 'node'));

const checkout = packageIn(join(temporaryFolder(), 'a folder', 'with  blanks'));
linkNode(join(checkout, 'node_modules'));
const bare = packageIn(join(temporaryFolder(), 'bare'));

describe('bin/sluice finds its package when called', () => {
  const links = temporaryFolder();
  const launcher = join(checkout, 'bin', 'sluice');
  const link = (name: string, to: string): string => {
    symlinkSync(to, join(links, name));
    return join(links, name);
  };
  mkdirSync(join(links, 'deeper'));
  const table: readonly (readonly [how: string, command: string, cwd: string])[] = [
    ['by an absolute path', launcher, links],
    ['by a relative path', '../bin/sluice', join(checkout, 'dist')],
    ['by its name in its folder', './sluice', join(checkout, 'bin')],
    ['by its name in the path', 'sluice', links],
    ['through a link', link('absolute', launcher), '/'],
    ['through a relative link', link('relative', relative(links, launcher)), '/'],
    ['through a link that is called relatively', './absolute', links],
    ['through a chain of links', link('deeper/chain', '../second link'), '/'],
    ['through a link with a blank', link('second link', 'absolute'), '/'],
    ['through a linked folder', `${link('folder', checkout)}/bin/sluice`, '/'],
  ];
  for (const [how, command, cwd] of table) {
    test(how, () => {
      const { node, main, args } = startReport(start(command, ['one', 'a b', '', '*'], noNode, cwd));
      assert.equal(main, join(checkout, 'dist', 'main.js'));
      assert.match(node, /node-linux-\w+\/bin\/node$/);
      assert.deepEqual(args, ['one', 'a b', '', '*']);
    });
  }

  test('with a CDPATH that leads elsewhere', () => {
    const env = ['-C', checkout, 'CDPATH=/', 'bin/sluice'];
    assert.equal(startReport(start('/usr/bin/env', env, noNode)).main, join(checkout, 'dist', 'main.js'));
  });

  for (const shell of SHELLS) {
    test(`in ${shell}`, () => {
      const args = [...(shell === 'busybox' ? ['sh'] : []), launcher, 'x'];
      assert.deepEqual(startReport(start(findProgram(shell), args, noNode)).args, ['x']);
    });
  }
});

describe('bin/sluice finds a package that npm installed', () => {
  const modules = join(temporaryFolder(), 'node_modules');
  const folder = packageIn(join(modules, 'sluice'));
  linkNode(modules);
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../sluice/bin/sluice', join(modules, '.bin', 'sluice'));

  test('when called from node_modules/.bin', () => {
    const { node, main } = startReport(start(join(modules, '.bin', 'sluice'), [], noNode));
    assert.equal(main, join(folder, 'dist', 'main.js'));
    assert.match(node, /node-linux-\w+\/bin\/node$/);
  });
});

describe('bin/sluice runs a suitable Node', () => {
  const launcher = join(bare, 'bin', 'sluice');

  test('from PATH when the package has none', () => {
    assert.equal(startReport(start(launcher, [], newNode)).node, realpathSync(process.execPath));
  });

  test('from the package even when PATH has one', () => {
    const { node } = startReport(start(join(checkout, 'bin', 'sluice'), [], oldNode));
    assert.match(node, /node-linux-\w+\/bin\/node$/);
  });

  const none = [
    ['no Node', noNode],
    ['a Node that is too old', oldNode],
    ['a Node that does not work', brokenNode],
  ] as const;
  for (const [what, path] of none) {
    test(`or, with ${what}, prints one line that says what is needed`, () => {
      const { status, stdout, stderr } = start(launcher, ['serve'], path);
      assert.deepEqual([status, stdout], [1, '']);
      assert.match(stderr, /^sluice: Node 26 or newer is needed: .*npm ci.*\n$/);
    });
  }
});

describe('bin/sluice replaces itself with the program', () => {
  test("and so has the program's exit code", () => {
    assert.equal(start(join(checkout, 'bin', 'sluice'), ['code', '5'], noNode).status, 5);
  });

  test('and so passes signals to the program', async () => {
    const folder = packageIn(join(temporaryFolder(), 'waits'), WAIT);
    linkNode(join(folder, 'node_modules'));
    const child = spawn(join(folder, 'bin', 'sluice'), {
      env: { PATH: noNode },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const printed = Promise.withResolvers<string>();
    const ended = Promise.withResolvers<number | null>();
    child.stdout.on('data', (text: Buffer) => printed.resolve(text.toString().trim()));
    child.on('exit', (code) => ended.resolve(code));
    const pid = await within('The program starts', 60_000, printed.promise);
    assert.equal(Number(pid), child.pid);
    child.kill('SIGTERM');
    assert.equal(await within('The program ends', 60_000, ended.promise), 42);
  });
});

function packageIn(folder: string, program = START_REPORT): string {
  copyLauncher(join(folder, 'bin', 'sluice'));
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'dist', 'main.js'), program);
  return realpathSync(folder);
}

/** A folder that is the whole PATH: the programs that the launcher needs, and this Node. */
function toolsFolder(node?: string): string {
  const folder = temporaryFolder();
  for (const name of TOOLS) symlinkSync(findProgram(name), join(folder, name));
  if (node !== undefined) writeFileSync(join(folder, 'node'), node, { mode: 0o755 });
  return folder;
}

function findProgram(name: string): string {
  return ['/usr/bin', '/bin'].map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? '';
}

function start(command: string, args: readonly string[], path: string, cwd = '/'): SpawnSyncReturns<string> {
  const env = { PATH: command === 'sluice' ? `${path}:${join(checkout, 'bin')}` : path };
  return spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 60_000 });
}

function startReport({ status, stdout, stderr }: SpawnSyncReturns<string>): StartReport {
  assert.deepEqual([status, stderr], [0, '']);
  // START_REPORT prints exactly this.
  return JSON.parse(stdout) as StartReport;
}
