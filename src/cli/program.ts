// The command `sluice`: global options and the list of subcommands. Each subcommand has its own file, which
// registers it and implements it as a function from its options to an exit code.

import { Command, CommanderError } from 'commander';
import { registerApps } from './apps.ts';
import { registerBlocking } from './blocking.ts';
import { registerChanges } from './changes.ts';
import { registerClients } from './clients/clients.ts';
import { registerConfig } from './config.ts';
import type { CommandContext } from './context.ts';
import { controlClient, ControlError } from './control.ts';
import { registerDomains } from './domains/domains.ts';
import { registerEvents } from './events/events.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { registerExplain } from './explain.ts';
import { registerGroups } from './groups/groups.ts';
import { registerQueries } from './history/queries.ts';
import { registerStats } from './history/stats.ts';
import { registerTop } from './history/top.ts';
import { registerLists } from './lists/lists.ts';
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
  registerQueries,
  registerStats,
  registerTop,
  registerSimulate,
  registerChanges,
  registerSessions,
  registerApps,
];

export async function run(options: RunOptions): Promise<ExitCode> {
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
}

function createProgram(context: CommandContext): Command {
  const program = new Command('sluice')
    .description('DNS-level blocking for a network')
    .version(version)
    .option(
      '--config <file>',
      'the settings file (default: SLUICE_CONFIG, ./sluice.toml, /etc/sluice/sluice.toml)',
    )
    .addHelpText('afterAll', exitCodeHelp)
    .showHelpAfterError('Run with --help to see commands and options.')
    .exitOverride();
  for (const register of registrations) register(program, context);
  return program;
}

const exitCodeHelp = `
Exit codes: 0 success, 1 failed, 2 wrong usage, 3 no service running, 4 wrong settings, 5 data folder in use`;

function explain(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (!(error instanceof ControlError)) throw error;
  processTerminal.error(error.message);
  return error.reason.unreachable === 'not running' ? exitCodes.notRunning : exitCodes.failed;
}
