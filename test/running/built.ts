// The npm package, built and packed from this checkout and unpacked as npm would do it: beside its only
// dependency and the Node that comes with it, in a folder far from the sources. koffi is copied and not
// linked, because it would find modules of the checkout through a link. Node is 150 MB and needs no other
// file of its folder, so it is linked.

import assert from 'node:assert/strict';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { build } from '../../tools/build.ts';
import { run } from '../../tools/run.ts';
import { temporaryFolder } from './folder.ts';
import { root } from './program.ts';

export type BuiltPackage = {
  readonly folder: string;
  /** The link to the command, as npm creates it. */
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

/** Links the Node package that npm has installed for this machine. */
export const linkNode = (modules: string): void => {
  for (const name of globSync('node-linux-*', { cwd: join(root, 'node_modules') })) {
    mkdirSync(modules, { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
};

/**
 * Options that start this launcher in place of the checkout's. `launch` appends the path of the checkout's
 * launcher, and `shift` in the shell drops it.
 */
export const startedBy = (launcher: string): { readonly wrap: readonly string[] } => ({
  wrap: ['sh', '-c', 'shift; exec "$0" "$@"', launcher],
});

/**
 * Path of the archive. It is packed in a temporary folder, so that the build leaves the checkout's dist/
 * alone.
 */
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

/** Copies the launcher and makes it executable. */
export const copyLauncher = (to: string): string => {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(join(root, 'bin', 'sluice'), to);
  chmodSync(to, 0o755);
  return to;
};
