// `sluice config check` and `sluice config show`: are environment and file right, and what is every setting
// and who says so. Neither needs a running service.

import { inspectSettings, type Located } from '#server';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { renderTable } from './table.ts';
import type { Terminal } from './terminal.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export const checkConfig = async (
  located: Located,
  env: Environment,
  terminal: Terminal,
): Promise<ExitCode> => {
  const { problems, warnings } = await inspectSettings(located, env);
  for (const warning of warnings) terminal.error(`warning: ${warning}`);
  for (const problem of problems) terminal.error(`error: ${problem}`);
  if (problems.length > 0) return exitCodes.misconfigured;
  terminal.print(
    `The settings are right (${located.configFile ?? 'no settings file'}, data in ${located.dataDir}).`,
  );
  return exitCodes.ok;
};

export const showConfig = async (
  located: Located,
  env: Environment,
  json: boolean,
  terminal: Terminal,
): Promise<ExitCode> => {
  const { rows, problems } = await inspectSettings(located, env);
  for (const problem of problems) terminal.error(`error: ${problem}`);
  if (json)
    terminal.print(
      JSON.stringify(Object.fromEntries(rows.map(({ path, ...rest }) => [path, rest])), null, 2),
    );
  else
    terminal.print(
      renderTable(
        ['setting', 'value', 'source'],
        rows.map(({ path, value, source }) => [path, JSON.stringify(value), source]),
      ),
    );
  return problems.length > 0 ? exitCodes.misconfigured : exitCodes.ok;
};
