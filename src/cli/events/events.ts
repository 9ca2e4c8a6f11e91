// `sluice events`: prints events as they arrive, one per line, until it is interrupted or the service ends.

import { InvalidArgumentError, Option, type Command } from 'commander';
import { eventTypes } from '#contract';
import type { CommandContext, Talk } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { splitLines } from '../lines.ts';
import { withExamples, withOptions } from '../options.ts';
import { printable } from '../printable.ts';
import { eventLines } from './event-lines.ts';
import { parseEvents, type ServiceEvent } from './parse-events.ts';

interface EventOptions {
  readonly types?: string;
  readonly json?: boolean;
}

export function registerEvents(program: Command, context: CommandContext): void {
  const events = program.command('events').description('show events as they happen; Ctrl-C ends it');
  withExamples(events, 'sluice events', 'sluice events --types lists,messages', 'sluice events --json');
  withOptions(events, [
    new Option('--types <types>', `only these, separated by commas: ${eventTypes.join(', ')}`).argParser(
      readTypes,
    ),
    new Option('--json', 'for scripts: each event as one line of JSON'),
  ]).action(async (options: EventOptions) => {
    // The reader of our output has ended, such as `| head`.
    process.stdout.on('error', () => process.exit(exitCodes.ok));
    context.end(await printEvents(context, options));
  });
}

async function printEvents({ call, terminal }: Talk, options: EventOptions): Promise<ExitCode> {
  let reason = 'The service closed the stream. See its log.';
  const print = (event: ServiceEvent): void => {
    if (event.name === 'end') reason = printable(String(event.data['text']));
    else if (options.json === true) terminal.print(JSON.stringify({ event: event.name, ...event.data }));
    else for (const line of eventLines(event)) terminal.print(line);
  };
  const query = options.types === undefined ? {} : { types: options.types };
  const reply = await call('getEvents', { query }, { onText: splitLines(parseEvents(print)) });
  if (!reply.ok) return refuse(terminal, 'The events cannot be read', reply);
  terminal.error(reason);
  return exitCodes.failed;
}

function readTypes(text: string): string {
  const wrong = text.split(',').find((word) => !eventTypes.some((type) => type === word.trim()));
  if (wrong === undefined) return text;
  throw new InvalidArgumentError(`There is no type "${printable(wrong)}".`);
}
