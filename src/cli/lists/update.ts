// `sluice lists update`: downloads all lists and shows the progress. The reply is one JSON object that
// arrives line by line while the update runs. Lines of progress are printed as they arrive; the result is
// read at the end.

import type { Command } from 'commander';
import type { CommandContext, Talk } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { splitLines } from '../lines.ts';
import { showJson, type ShowOptions } from '../listing.ts';
import { jsonOption, withExamples, withOptions } from '../options.ts';
import { printable } from '../printable.ts';

export function registerUpdate(lists: Command, context: CommandContext): void {
  const update = lists.command('update').description('download all enabled lists now and show the progress');
  withExamples(update, 'sluice lists update', 'sluice lists update --json');
  withOptions(update, [jsonOption()]).action(async (options: ShowOptions) =>
    context.end(await updateLists(context, options)),
  );
}

async function updateLists({ call, terminal }: Talk, options: ShowOptions): Promise<ExitCode> {
  const show = options.json === true ? () => undefined : (text: string) => terminal.print(printable(text));
  const onText = splitLines((line) => progressIn(line).forEach(show));
  const reply = await call('updateLists', {}, { onText });
  if (!reply.ok) return refuse(terminal, 'The lists were not updated', reply);
  // A reply that ends early is not valid JSON and has no result.
  const { result } = reply.body ?? {};
  if (result === undefined) {
    terminal.error('The reply of the service is incomplete; the update may still be running. See its log.');
    return exitCodes.failed;
  }
  if (options.json === true) showJson(terminal, reply.body);
  const isGood = result.problem === null && result.lists.every(({ problem }) => problem === null);
  return isGood ? exitCodes.ok : exitCodes.failed;
}

/** The text of an element of `progress`; from the second line on there is a comma before it. */
function progressIn(line: string): readonly string[] {
  const found = /^,?("(?:[^"\\]|\\.)*")$/u.exec(line)?.[1];
  if (found === undefined) return [];
  const text: unknown = JSON.parse(found);
  return typeof text === 'string' ? [text] : [];
}
