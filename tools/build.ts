// `npm run build`: makes dist/, which starts without the sources. What people install is `npm pack` of
// that, and `prepack` runs this file, so a package is never older than its sources. An argument names
// another folder: tests build into their own. The parts stand in tools/build/.

import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { bundle } from './build/bundle.ts';
import { copyDocsPage, DOCS_PACKAGE } from './build/docs-page.ts';
import { writeLicences } from './build/licences.ts';
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
  const folder = resolve(process.argv[2] ?? join(ROOT, 'dist'));
  await build(folder);
  console.log(`build: ${folder} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`);
}
