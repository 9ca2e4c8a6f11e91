// `sluice restart`: replaces the running process by a new one without interruption.

import type { Command } from 'commander';
import type { CommandContext, Talk } from './context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refuse } from './failure.ts';
import { withExamples } from './options.ts';

export function registerRestart(program: Command, context: CommandContext): void {
  const restart = program
    .command('restart')
    .description('switch to a new process, with new settings or a new version, without interruption');
  withExamples(restart, 'sluice restart').action(async () => context.end(await restartService(context)));
}

async function restartService({ call, terminal }: Talk): Promise<ExitCode> {
  const reply = await call('restartDns');
  if (!reply.ok) return refuse(terminal, 'The service was not restarted', reply);
  const now = await call('getStatus');
  const process = now.ok ? `: process ${now.body.status.pid} serves now` : '';
  terminal.print(`The service was restarted${process}.`);
  return exitCodes.ok;
}
