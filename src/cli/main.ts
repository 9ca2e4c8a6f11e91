// Where the command `sluice` starts. The compile cache comes first, because it only helps what is loaded
// after it; it lies in the data folder, so that has to be found before anything else.

import { existsSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { locate } from '#server';

const configOption = (): string | undefined => {
  const at = process.argv.findIndex(
    (argument) => argument === '--config' || argument.startsWith('--config='),
  );
  const found = process.argv[at];
  if (at < 0 || found === undefined) return undefined;
  return found.includes('=') ? found.slice('--config='.length) : process.argv[at + 1];
};

const located = locate(configOption(), process.env);
const compileCacheDir = join(located.dataDir, 'compile-cache');
const isServe = process.argv[2] === 'serve';
if (isServe) makeFolder(located.dataDir);
if (existsSync(located.dataDir)) enableCompileCache(compileCacheDir);
const { run } = await import('./program.ts');
process.exitCode = await run({ argv: process.argv, env: process.env, located, compileCacheDir });

/** A folder that cannot be made is explained by the command itself. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    // `serve` says what is wrong with it.
  }
}
