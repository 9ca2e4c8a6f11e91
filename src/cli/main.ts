// The entry of the command `sluice`. The compile cache is enabled first, because it only affects modules
// loaded after it; it is in the data folder, so the data folder is located before anything else.

import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { locate, makeFolder } from '#service';
import type { ExitCode } from './exit-codes.ts';
import type { RunOptions } from './run-options.ts';

// The name in `ps`, `top` and `pgrep`. The new process of a restart runs this line too.
process.title = 'sluice';

function configOption(): string | undefined {
  const at = process.argv.findIndex(
    (argument) => argument === '--config' || argument.startsWith('--config='),
  );
  const found = process.argv[at];
  if (at < 0 || found === undefined) return undefined;
  return found.includes('=') ? found.slice('--config='.length) : process.argv[at + 1];
}

const located = locate(configOption(), process.env);
const compileCacheDir = join(located.dataDir, 'compile-cache');
const isServe = process.argv[2] === 'serve';
if (canUseCompileCache()) useCompileCache();
process.exitCode = await start({ argv: process.argv, env: process.env, located, compileCacheDir });

async function start(options: RunOptions): Promise<ExitCode> {
  if (!isServe || process.argv.length > 3) return (await import('./program.ts')).run(options);
  const { serve } = await import('./serve-here.ts');
  const { processTerminal } = await import('./terminal.ts');
  return serve(options, processTerminal);
}

/** Node creates a subfolder that other users could read; the umask prevents that. */
function useCompileCache(): void {
  const before = process.umask(0o077);
  enableCompileCache(compileCacheDir);
  process.umask(before);
}

/** Only `serve` creates the data folder; if it cannot, it reports the reason later. */
function canUseCompileCache(): boolean {
  const hasDataDir = isServe ? makeFolder(located.dataDir) === undefined : existsSync(located.dataDir);
  return hasDataDir && makeFolder(compileCacheDir) === undefined;
}
