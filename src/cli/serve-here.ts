// Runs the service in this process. Plain `sluice serve` starts here, so that the service does not load the
// command parser, the other commands and HTTP. That saves a third of the main thread's work until DNS is
// answered, and some megabytes of memory.

import { runService, type RunEnd } from '#service';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import type { RunOptions } from './run-options.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

/** Runs the service until it ends; the problems that ended it are printed. */
export async function serve(options: RunOptions, terminal: Terminal): Promise<ExitCode> {
  const { located, env, compileCacheDir } = options;
  const ended = await runService({ located, env, version, compileCacheDir });
  for (const problem of problemsOf(ended)) terminal.error(problem);
  return codeOf(ended);
}

function problemsOf(ended: RunEnd): readonly string[] {
  if (ended.end === 'stopped') return [];
  if (ended.end === 'misconfigured') return [...ended.problems, 'The service was not started.'];
  return [ended.problem, 'The service was not started.'];
}

function codeOf({ end }: RunEnd): ExitCode {
  switch (end) {
    case 'stopped':
      return exitCodes.ok;
    case 'misconfigured':
      return exitCodes.misconfigured;
    case 'locked':
      return exitCodes.locked;
    case 'failed':
      return exitCodes.failed;
  }
}
