// `sluice config check` and `sluice config show`: checks environment and settings file, and lists every
// setting with its value and source. Neither needs a running service.

import type { Command } from 'commander';
import { inspectSettings } from '#service';
import type { CommandContext } from './context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import type { ShowOptions } from './listing.ts';
import { withExamples } from './options.ts';
import { renderTable } from './table.ts';

type Place = Pick<CommandContext, 'options' | 'terminal'>;

export function registerConfig(program: Command, context: CommandContext): void {
  const config = program.command('config').description('check and show the settings');
  const check = config.command('check').description('check environment variables and settings file');
  withExamples(check, 'sluice config check', 'sluice --config ./sluice.toml config check').action(async () =>
    context.end(await checkConfig(context)),
  );
  const show = config.command('show').description('list all settings with their values and sources');
  withExamples(show, 'sluice config show', 'sluice config show --json')
    .option('--json', 'for scripts')
    .action(async (options: ShowOptions) => context.end(await showConfig(context, options)));
}

async function checkConfig({ options, terminal }: Place): Promise<ExitCode> {
  const { located, env } = options;
  const { problems, warnings } = await inspectSettings(located, env);
  for (const warning of warnings) terminal.error(`warning: ${warning}`);
  for (const problem of problems) terminal.error(`error: ${problem}`);
  if (problems.length > 0) return exitCodes.misconfigured;
  terminal.print(
    `The settings are valid (${located.configFile ?? 'no settings file'}, data in ${located.dataDir}).`,
  );
  return exitCodes.ok;
}

async function showConfig({ options, terminal }: Place, { json }: ShowOptions): Promise<ExitCode> {
  const { rows, problems } = await inspectSettings(options.located, options.env);
  for (const problem of problems) terminal.error(`error: ${problem}`);
  const byPath = (): object => Object.fromEntries(rows.map(({ path, ...rest }) => [path, rest]));
  const cells = (): string[][] =>
    rows.map(({ path, value, source }) => [path, JSON.stringify(value), source]);
  terminal.print(
    json === true ? JSON.stringify(byPath(), null, 2) : renderTable(['setting', 'value', 'source'], cells()),
  );
  return problems.length > 0 ? exitCodes.misconfigured : exitCodes.ok;
}
