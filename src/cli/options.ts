// Options and arguments that several commands share, so that they have the same name, syntax and help text in
// all of them.

import { InvalidArgumentError, Option, type Command } from 'commander';
import { readDuration } from './duration.ts';
import { printable } from './printable.ts';

export function jsonOption(): Option {
  return new Option('--json', 'for scripts: the reply of the API as JSON');
}

export function commentOption(): Option {
  return new Option('--comment <text>', 'a comment; "" removes it');
}

export function disabledOption(): Option {
  return new Option('--disabled', 'add it disabled');
}

export function forOption(what: string): Option {
  return new Option('--for <duration>', `${what}: 90s, 15m, 2h, 1d`).argParser(readDuration);
}

export function enableOptions(): readonly Option[] {
  return [
    new Option('--enable', 'enable it').conflicts('disable'),
    new Option('--disable', 'disable it without removing it'),
  ];
}

export function groupOption(what: string): Option {
  return repeatedOption('--group <name>', what);
}

/** `--group a --group b`: repeated, because `--group a b` would also consume the arguments after it. */
export function repeatedOption(flags: string, what: string): Option {
  return new Option(flags, `${what}; may be repeated`).argParser(
    (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
  );
}

/** Ids as arguments: `<id...>`. */
export function readIds(text: string, before: readonly number[] | undefined): readonly number[] {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('An id is a whole number; the list shows it.');
  return [...(before ?? []), Number(text)];
}

/** The subcommand that runs if none is named. Unknown subcommands also arrive here and are reported. */
export function defaultCommand(parent: Command, name: string): Command {
  return parent
    .command(name, { isDefault: true })
    .allowExcessArguments()
    .hook('preAction', ({ args: [word] }) => {
      const known = parent.commands.map((command) => command.name()).join(', ');
      if (word !== undefined)
        parent.error(`error: '${printable(word)}' is not a command of ${parent.name()}. Commands: ${known}.`);
    });
}

export function withOptions(command: Command, options: readonly Option[]): Command {
  for (const option of options) command.addOption(option);
  return command;
}

export function withExamples(command: Command, ...examples: readonly string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`);
}
