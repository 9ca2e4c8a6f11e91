// Options and arguments that several commands have, so that they are called and explained alike everywhere.

import { InvalidArgumentError, Option, type Command } from 'commander';
import { readDuration } from './duration.ts';
import { printable } from './printable.ts';

export const jsonOption = (): Option => new Option('--json', 'for scripts: what the API replied');

export const commentOption = (): Option => new Option('--comment <text>', 'free text; "" for none');

export const forOption = (what: string): Option =>
  new Option('--for <duration>', `${what}: 90s, 15m, 2h, 1d`).argParser(readDuration);

export const enableOptions = (): readonly Option[] => [
  new Option('--enable', 'let it count again').conflicts('disable'),
  new Option('--disable', 'keep it, but let it not count'),
];

/** `--group a --group b`: repeated, because a list would swallow the arguments that follow it. */
export const groupOption = (what: string): Option =>
  new Option('--group <name>', `${what}; may be repeated`).argParser(
    (name: string, before: readonly string[] | undefined) => [...(before ?? []), name],
  );

/** Ids as arguments: `<id...>`. */
export const readIds = (text: string, before: readonly number[] | undefined): readonly number[] => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('An id is a whole number; the list shows it.');
  return [...(before ?? []), Number(text)];
};

/**
 * A command that stands for its parent when no other is named. Any other word gets here too and is told as
 * what it is: a command that there is not.
 */
export const defaultCommand = (parent: Command, name: string): Command =>
  parent
    .command(name, { isDefault: true })
    .allowExcessArguments()
    .hook('preAction', ({ args: [word] }) => {
      const known = parent.commands.map((command) => command.name()).join(', ');
      if (word !== undefined)
        parent.error(`error: '${printable(word)}' is no command of ${parent.name()}: there are ${known}.`);
    });

export const withOptions = (command: Command, options: readonly Option[]): Command => {
  for (const option of options) command.addOption(option);
  return command;
};

export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`);
