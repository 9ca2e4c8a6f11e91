// `sluice serve`: runs the service in this process until it is told to stop.

import { runService, type RunEnd } from '#server';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import type { RunOptions } from './run-options.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

export const serve = async (options: RunOptions, terminal: Terminal): Promise<ExitCode> => {
  const { located, env, compileCacheDir } = options;
  const ended = await runService({ located, env, version, compileCacheDir });
  for (const problem of problemsOf(ended)) terminal.error(problem);
  return codeOf(ended);
};

const problemsOf = (ended: RunEnd): readonly string[] => {
  if (ended.end === 'stopped') return [];
  if (ended.end === 'misconfigured') return [...ended.problems, 'The service was not started.'];
  return [ended.problem, 'The service was not started.'];
};

const codeOf = ({ end }: RunEnd): ExitCode => {
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
};
