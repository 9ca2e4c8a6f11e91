// The program that the black-box tests start: the built package as npm would install it, with the koffi and
// Node of the checkout. Users run the same, and it starts in half the time of the sources, which saves
// minutes over hundreds of starts. A test file that is run without `npm test` starts the bundle of the
// checkout.

import { chmodSync, cpSync, globSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { build } from '../build.ts';
import { ROOT } from '../run.ts';

const FOLDER = join(ROOT, 'node_modules', '.cache', 'sluice-test', 'program');
const BESIDE = ['koffi', '@koromix', 'node-linux-*'];

/** Returns the path of the launcher. */
export async function buildTestProgram(): Promise<string> {
  rmSync(FOLDER, { recursive: true, force: true });
  const modules = join(FOLDER, 'node_modules');
  mkdirSync(modules, { recursive: true });
  for (const name of globSync(BESIDE, { cwd: join(ROOT, 'node_modules') })) {
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  cpSync(join(ROOT, 'package.json'), join(FOLDER, 'package.json'));
  await build(join(FOLDER, 'dist'));
  return copyLauncher();
}

function copyLauncher(): string {
  const launcher = join(FOLDER, 'bin', 'sluice');
  mkdirSync(join(FOLDER, 'bin'));
  cpSync(join(ROOT, 'bin', 'sluice'), launcher);
  chmodSync(launcher, 0o755);
  return launcher;
}
