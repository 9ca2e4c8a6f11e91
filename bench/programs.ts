// The program as a checkout runs it: a copy of the checkout with its own bundle. The launcher checks at each
// start whether the bundle is up to date. Each run has its own copy, so that edits during a run have no
// effect.

import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT, run } from '../tools/run.ts';
import { newFolder } from './workshop.ts';

/** The path of the launcher. */
export type Programs = { readonly bundle: string };

const PARTS = ['bin', 'src', 'tools', 'package.json', 'package-lock.json'];

export async function preparePrograms(): Promise<Programs> {
  const folder = newFolder('checkout');
  for (const name of PARTS) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const launcher = join(folder, 'bin', 'sluice');
  const { isOk, output } = await run('sh', [launcher, '--version']);
  if (!isOk) throw new Error(`The bundle could not be built: ${output}`);
  return { bundle: launcher };
}
