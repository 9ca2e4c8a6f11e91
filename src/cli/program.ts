// The commands of `sluice`. Each is a function from its options to an exit code; this file only says how they
// are called.

import { Command, CommanderError } from 'commander';
import { checkConfig, showConfig } from './config.ts';
import { ControlError } from './control.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import type { RunOptions } from './run-options.ts';
import { changePassword } from './password.ts';
import { serve } from './serve.ts';
import { showStatus } from './status.ts';
import { processTerminal } from './terminal.ts';
import { version } from './version.ts';

export const run = async (options: RunOptions): Promise<ExitCode> => {
  let exitCode: ExitCode = exitCodes.ok;
  const program = createProgram(options, (code) => (exitCode = code));
  try {
    await program.parseAsync([...options.argv]);
    return exitCode;
  } catch (error) {
    return explain(error);
  }
};

const createProgram = (options: RunOptions, end: (code: ExitCode) => void): Command => {
  const { located, env } = options;
  const terminal = processTerminal;
  const program = new Command('sluice')
    .description('A DNS-level blocking service')
    .version(version)
    .option(
      '--config <file>',
      'the settings file (else SLUICE_CONFIG, ./sluice.toml, /etc/sluice/sluice.toml)',
    )
    .showHelpAfterError('Run with --help to see what there is.')
    .exitOverride();
  program
    .command('serve')
    .description('run the service')
    .action(async () => end(await serve(options, terminal)));
  program
    .command('status')
    .description('tell what is running')
    .option('--json', 'for scripts')
    .action(async ({ json }: { json?: true }) =>
      end(await showStatus(located.dataDir, json ?? false, terminal)),
    );
  program
    .command('password')
    .description(
      'set the password of the API and the web interface (asks twice, or reads one line from the input)',
    )
    .option('--remove', 'remove it: nothing requires authentication any more')
    .action(async ({ remove }: { remove?: true }) =>
      end(await changePassword(located.dataDir, remove ?? false, terminal)),
    );
  const config = program.command('config').description('look at the settings');
  config
    .command('check')
    .description('say whether environment and settings file are right')
    .action(async () => end(await checkConfig(located, env, terminal)));
  config
    .command('show')
    .description('list all settings with their values and sources')
    .option('--json', 'for scripts')
    .action(async ({ json }: { json?: true }) =>
      end(await showConfig(located, env, json ?? false, terminal)),
    );
  for (const command of [program, ...program.commands, ...config.commands]) {
    command.exitOverride().addHelpText('after', exitCodeHelp);
  }
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
