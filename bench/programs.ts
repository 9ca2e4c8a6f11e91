// The two shapes in which the program runs: from the sources, as in a checkout, and from the bundle, as
// people install it. Both are started by the launcher. The bundle is built anew for each run and stands in
// a folder of its own, without the sources.

import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { build } from '../tools/build.ts';
import { ROOT } from '../tools/run.ts';
import { newFolder } from './workshop.ts';

export type Shape = 'sources' | 'bundle';

/** The launcher of each. */
export type Programs = Readonly<Record<Shape, string>>;

export const SHAPES: readonly Shape[] = ['sources', 'bundle'];

export async function preparePrograms(): Promise<Programs> {
  const folder = newFolder('bundle');
  for (const name of ['bin', 'package.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await build(join(folder, 'dist'));
  return { sources: join(ROOT, 'bin', 'sluice'), bundle: join(folder, 'bin', 'sluice') };
}
