// The program that the black-box tests start: the built package, laid out as npm would install it, beside
// the checkout's own koffi and Node. It is what people run, and it starts in half the time of the sources,
// which is worth minutes over some hundred starts. A test that is run alone, without `npm test`, starts the
// checkout's own bundle.

import { chmodSync, cpSync, globSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { build } from '../build.ts';
import { ROOT } from '../run.ts';

const FOLDER = join(ROOT, 'node_modules', '.cache', 'sluice-test', 'program');
const BESIDE = ['koffi', '@koromix', 'node-linux-*'];

/** The launcher of the program, to be started by tests. */
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
