// The command `sluice`: what holds for all of its commands, and the list of them. Each command stands in a
// file of its own, says there how it is called, and is a function from its options to an exit code.

import { Command, CommanderError } from 'commander';
import { registerApps } from './apps.ts';
import { registerBlocking } from './blocking.ts';
import { registerChanges } from './changes.ts';
import { registerClients } from './clients/register.ts';
import { registerConfig } from './config.ts';
import type { CommandContext } from './context.ts';
import { controlClient, ControlError } from './control.ts';
import { registerDomains } from './domains/register.ts';
import { registerEvents } from './events/register.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { registerExplain } from './explain.ts';
import { registerGroups } from './groups/register.ts';
import { registerHistory } from './history/register.ts';
import { registerLists } from './lists/register.ts';
import { registerPassword } from './password.ts';
import { registerRestart } from './restart.ts';
import type { RunOptions } from './run-options.ts';
import { registerServe } from './serve.ts';
import { registerSessions } from './sessions.ts';
import { registerSimulate } from './simulate.ts';
import { registerStatus } from './status.ts';
import { processTerminal } from './terminal.ts';
import { version } from './version.ts';

const registrations = [
  registerServe,
  registerRestart,
  registerStatus,
  registerPassword,
  registerConfig,
  registerGroups,
  registerDomains,
  registerLists,
  registerClients,
  registerBlocking,
  registerExplain,
  registerEvents,
  registerHistory,
  registerSimulate,
  registerChanges,
  registerSessions,
  registerApps,
];

export const run = async (options: RunOptions): Promise<ExitCode> => {
  let exitCode: ExitCode = exitCodes.ok;
  const terminal = processTerminal;
  const call = controlClient(options.located.dataDir);
  const program = createProgram({ options, terminal, call, end: (code) => (exitCode = code) });
  try {
    await program.parseAsync([...options.argv]);
    return exitCode;
  } catch (error) {
    return explain(error);
  }
};

const createProgram = (context: CommandContext): Command => {
  const program = new Command('sluice')
    .description('A DNS-level blocking service')
    .version(version)
    .option(
      '--config <file>',
      'the settings file (else SLUICE_CONFIG, ./sluice.toml, /etc/sluice/sluice.toml)',
    )
    .addHelpText('afterAll', exitCodeHelp)
    .showHelpAfterError('Run with --help to see what there is.')
    .exitOverride();
  for (const register of registrations) register(program, context);
  return program;
};

const exitCodeHelp = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no service runs, 4 settings are wrong, 5 data folder in use`;

const explain = (error: unknown): ExitCode => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (!(error instanceof ControlError)) throw error;
  processTerminal.error(error.message);
  return error.reason.unreachable === 'not running' ? exitCodes.notRunning : exitCodes.failed;
};
