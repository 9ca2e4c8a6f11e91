// `sluice events`: what happens, as it happens, a line each, until it is interrupted or the service goes.

import { InvalidArgumentError, Option, type Command } from 'commander';
import { eventTypes } from '#contract';
import type { CommandContext, Talk } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { linesOf } from '../lines.ts';
import { withExamples, withOptions } from '../options.ts';
import { printable } from '../printable.ts';
import { eventLines } from './event-lines.ts';
import { eventsOf, type EventResult } from './read-events.ts';

interface EventOptions {
  readonly types?: string;
  readonly json?: boolean;
}

export const registerEvents = (program: Command, context: CommandContext): void => {
  const events = program.command('events').description('what happens, as it happens; Ctrl-C ends it');
  withExamples(events, 'sluice events', 'sluice events --types lists,messages', 'sluice events --json');
  withOptions(events, [
    new Option('--types <types>', `which, with commas between: ${eventTypes.join(', ')}`).argParser(
      readTypes,
    ),
    new Option('--json', 'for scripts: each event as one line of JSON'),
  ]).action(async (options: EventOptions) => {
    // Whoever read what we print has left, as `| head` does: there is nobody to tell.
    process.stdout.on('error', () => process.exit(exitCodes.ok));
    context.end(await followEvents(context, options));
  });
};

const followEvents = async ({ call, terminal }: Talk, options: EventOptions): Promise<ExitCode> => {
  let why = 'The service broke off the stream. See its log.';
  const take = (event: EventResult): void => {
    if (event.name === 'end') why = printable(String(event.data['text']));
    else if (options.json === true) terminal.print(JSON.stringify({ event: event.name, ...event.data }));
    else for (const line of eventLines(event)) terminal.print(line);
  };
  const query = options.types === undefined ? {} : { types: options.types };
  const reply = await call('getEvents', { query }, { onText: linesOf(eventsOf(take)) });
  if (!reply.ok) return refuse(terminal, 'There are no events', reply);
  terminal.error(why);
  return exitCodes.failed;
};

const readTypes = (text: string): string => {
  const wrong = text.split(',').find((word) => !eventTypes.some((type) => type === word.trim()));
  if (wrong === undefined) return text;
  throw new InvalidArgumentError(`There is no type "${printable(wrong)}".`);
};
