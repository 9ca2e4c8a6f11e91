// The package that people install, built and packed from this checkout and unpacked as npm would: beside
// its only dependency and the Node that comes with it, and far from the sources. koffi is copied, so that
// nothing it asks for is found in the checkout by the way of a link; Node is 150 MB, needs nothing of its
// folder, and is linked.

import assert from 'node:assert/strict';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { build } from '../../tools/build.ts';
import { run } from '../../tools/run.ts';
import { temporaryFolder } from './folder.ts';
import { root } from './program.ts';

export type BuiltPackage = {
  readonly folder: string;
  /** The link that npm makes for the command. */
  readonly command: string;
};

export const installBuiltPackage = async (): Promise<BuiltPackage> => {
  const modules = join(temporaryFolder(), 'node_modules');
  const folder = join(modules, 'sluice');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  await must('tar', ['-xzf', await pack(), '-C', modules]);
  await must('mv', [join(modules, 'package'), folder]);
  for (const name of ['koffi', '@koromix']) {
    cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true });
  }
  linkNode(modules);
  const command = join(modules, '.bin', 'sluice');
  symlinkSync('../sluice/bin/sluice', command);
  return { folder, command };
};

/** The Node that npm brought, whichever this machine's is. */
export const linkNode = (modules: string): void => {
  for (const name of globSync('node-linux-*', { cwd: join(root, 'node_modules') })) {
    mkdirSync(modules, { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
};

/**
 * Options that start this launcher instead of the checkout's: the shell drops the path of the latter, which
 * follows it, and makes way for the former.
 */
export const startedBy = (launcher: string): { readonly wrap: readonly string[] } => ({
  wrap: ['sh', '-c', 'shift; exec "$0" "$@"', launcher],
});

/** The archive. It is packed in a folder of its own, or the build would disturb the checkout's. */
const pack = async (): Promise<string> => {
  const folder = temporaryFolder();
  const manifest: { files: string[] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of ['package.json', ...manifest.files.filter((file) => file !== 'dist')]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  await build(join(folder, 'dist'));
  await must('npm', ['pack', '--ignore-scripts', '--loglevel=error'], folder);
  const [archive = ''] = globSync('*.tgz', { cwd: folder });
  return join(folder, archive);
};

const must = async (program: string, args: readonly string[], cwd = root): Promise<void> => {
  const { isOk, output } = await run(program, args, { cwd, timeoutMs: 180_000 });
  assert.ok(isOk, `${program} ${args.join(' ')}: ${output}`);
};

/** A copy of the launcher, as executable as the original. */
export const copyLauncher = (to: string): string => {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(join(root, 'bin', 'sluice'), to);
  chmodSync(to, 0o755);
  return to;
};
