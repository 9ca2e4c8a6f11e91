// `npm run build`: creates dist/, which runs without the sources. `prepack` runs this file before `npm pack`,
// so a package is never older than its sources. The launcher of a checkout runs it too if dist/ is missing or
// out of date. An argument names another folder. The steps are in tools/build/.

import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { buildProblem } from './build/build-problem.ts';
import { bundle } from './build/bundle.ts';
import { copyDocsPage, DOCS_PACKAGE } from './build/docs-page.ts';
import { writeLicences } from './build/licences.ts';
import { replaceBundle } from './build/replace-bundle.ts';
import { ROOT } from './run.ts';

export async function build(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const bundled = await bundle(folder);
  copyDocsPage(join(folder, 'docs-page'));
  writeLicences(join(folder, 'licences.txt'), [...bundled, DOCS_PACKAGE]);
}

if (import.meta.main) {
  const startedMs = performance.now();
  const dist = resolve(process.argv[2] ?? join(ROOT, 'dist'));
  try {
    await replaceBundle(dist, build);
  } catch (error) {
    const problem = buildProblem(error);
    if (problem === undefined) throw error;
    console.error(problem);
    process.exit(1);
  }
  console.log(`build: ${dist} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`);
}
