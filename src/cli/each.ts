// Commands that name several things do them one after the other and tell about each: what fails does not keep
// the rest from being done, as with `rm`, but the command as a whole has failed then.

import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refusalText, type Refusal } from './failure.ts';
import { capitalised, named, type Subject } from './subject.ts';
import type { Terminal } from './terminal.ts';

/** What became of one of them. */
export interface Outcome {
  readonly ok: boolean;
  readonly text: string;
}

export const forEach = async <T>(
  terminal: Terminal,
  items: readonly T[],
  work: (item: T) => Promise<Outcome>,
): Promise<ExitCode> => {
  let code: ExitCode = exitCodes.ok;
  for (const item of items) {
    const { ok, text } = await work(item);
    if (ok) terminal.print(text);
    else terminal.error(text);
    if (!ok) code = exitCodes.failed;
  }
  return code;
};

/** `Group "x" was added.`, or why not. */
export const outcomeOf = (
  subject: Subject,
  done: string,
  reply: { readonly ok: true } | ({ readonly ok: false } & Refusal),
): Outcome =>
  reply.ok
    ? { ok: true, text: `${capitalised(named(subject))} was ${done}.` }
    : { ok: false, text: refusalText(subject, done, reply) };
