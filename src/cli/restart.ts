// `sluice restart`: lets a new process take over from the running one, without a gap.

import type { Command } from 'commander';
import type { CommandContext, Talk } from './context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refuse } from './failure.ts';
import { withExamples } from './options.ts';

export const registerRestart = (program: Command, context: CommandContext): void => {
  const restart = program
    .command('restart')
    .description('let a new process take over, with new settings or a new version, without a gap');
  withExamples(restart, 'sluice restart').action(async () => context.end(await restartService(context)));
};

const restartService = async ({ call, terminal }: Talk): Promise<ExitCode> => {
  const reply = await call('restartDns');
  if (!reply.ok) return refuse(terminal, 'The service was not restarted', reply);
  const now = await call('getStatus');
  const who = now.ok ? `: process ${now.body.status.pid} serves now` : '';
  terminal.print(`The service was restarted${who}.`);
  return exitCodes.ok;
};
