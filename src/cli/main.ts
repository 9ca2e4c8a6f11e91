// Where the command `sluice` starts. The compile cache comes first, because it only helps what is loaded
// after it; it lies in the data folder, so that has to be found before anything else.

import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { locate, makeFolder } from '#service';
import type { ExitCode } from './exit-codes.ts';
import type { RunOptions } from './run-options.ts';

// What `ps`, `top` and `pgrep` show. A new process that takes over runs this line too.
process.title = 'sluice';

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
if (canKeepCode()) keepCode();
process.exitCode = await start({ argv: process.argv, env: process.env, located, compileCacheDir });

async function start(options: RunOptions): Promise<ExitCode> {
  if (!isServe || process.argv.length > 3) return (await import('./program.ts')).run(options);
  const { serve } = await import('./serve-here.ts');
  const { processTerminal } = await import('./terminal.ts');
  return serve(options, processTerminal);
}

/** Node makes a folder in it with the rights that everybody gets, unless it may not. */
function keepCode(): void {
  const before = process.umask(0o077);
  enableCompileCache(compileCacheDir);
  process.umask(before);
}

/** Only `serve` makes the data folder, and it explains later why it could not. */
function canKeepCode(): boolean {
  const hasDataDir = isServe ? makeFolder(located.dataDir) === undefined : existsSync(located.dataDir);
  return hasDataDir && makeFolder(compileCacheDir) === undefined;
}
