// `sluice lists update`: fetches all lists and shows how it goes. The reply is one JSON object that arrives
// line by line while the update runs; a line that is a text is shown at once, the rest is read at the end.

import type { Talk } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { refuse } from '../failure.ts';
import { linesOf } from '../lines.ts';
import { showJson, type ShowOptions } from '../listing.ts';
import { printable } from '../printable.ts';

export const updateLists = async ({ call, terminal }: Talk, options: ShowOptions): Promise<ExitCode> => {
  const show = options.json === true ? () => undefined : (text: string) => terminal.print(printable(text));
  const reply = await call('updateLists', {}, { onText: linesOf((line) => textIn(line).forEach(show)) });
  if (!reply.ok) return refuse(terminal, 'The lists were not updated', reply);
  // A connection that ended too soon leaves half an object, which is none.
  const { result } = reply.body ?? {};
  if (result === undefined) {
    terminal.error('The service broke off its reply; the update may still go on. See its log.');
    return exitCodes.failed;
  }
  if (options.json === true) showJson(terminal, reply.body);
  const isGood = result.problem === null && result.lists.every(({ problem }) => problem === null);
  return isGood ? exitCodes.ok : exitCodes.failed;
};

/** The text in a line of the array, which has a comma before it from the second line on. */
const textIn = (line: string): readonly string[] => {
  const found = /^,?("(?:[^"\\]|\\.)*")$/u.exec(line)?.[1];
  if (found === undefined) return [];
  const text: unknown = JSON.parse(found);
  return typeof text === 'string' ? [text] : [];
};
