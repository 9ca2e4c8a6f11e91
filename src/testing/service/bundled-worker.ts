// A file that is its own worker, in one piece: from its many sources a worker takes 0.4 s of one core to
// load, which counts where a test starts twenty of them.

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type BundledWorker = {
  readonly entry: URL;
  readonly remove: () => void;
};

/** Below node_modules, where the bundle finds the packages that stay outside. */
const cache = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache');
const outside = ['koffi', 'rolldown', /^node:/];

export async function bundleWorker(file: string): Promise<BundledWorker> {
  // Not at the head: the worker loads this file, too.
  const { rolldown } = await import('rolldown');
  const folder = mkdtempSync(join(cache, 'sluice-worker-'));
  const entry = join(folder, 'worker.mjs');
  const build = await rolldown({ input: file, platform: 'node', external: outside });
  await build.write({ file: entry, format: 'esm', codeSplitting: false });
  await build.close();
  return { entry: pathToFileURL(entry), remove: () => rmSync(folder, { recursive: true }) };
}
