// `sluice serve`: runs the service in this process until it is told to stop.

import type { Command } from 'commander';
import { runService, type RunEnd } from '#server';
import type { CommandContext } from './context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { withExamples } from './options.ts';
import { version } from './version.ts';

export const registerServe = (program: Command, context: CommandContext): void => {
  const serving = program.command('serve').description('run the service');
  withExamples(serving, 'sluice serve', 'sluice --config ./sluice.toml serve').action(async () =>
    context.end(await serve(context)),
  );
};

const serve = async ({ options, terminal }: CommandContext): Promise<ExitCode> => {
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
