// Commands with several arguments process them one by one and report each result. A failure does not stop the
// others, as with `rm`, but the command then ends with the exit code for failure.

import { exitCodes, type ExitCode } from './exit-codes.ts';
import { refusalText, type Refusal } from './failure.ts';
import { capitalised, named, type Subject } from './subject.ts';
import type { Terminal } from './terminal.ts';

/** The result for one argument. */
export interface Outcome {
  readonly ok: boolean;
  readonly text: string;
}

export async function forEach<T>(
  terminal: Terminal,
  items: readonly T[],
  work: (item: T) => Promise<Outcome>,
): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok;
  for (const item of items) {
    const { ok, text } = await work(item);
    if (ok) terminal.print(text);
    else terminal.error(text);
    if (!ok) code = exitCodes.failed;
  }
  return code;
}

export type Reply = { readonly ok: true } | ({ readonly ok: false } & Refusal);

/** `Group "x" was added.`, or why not. */
export function outcomeOf(subject: Subject, done: string, reply: Reply): Outcome {
  return reply.ok
    ? { ok: true, text: `${capitalised(named(subject))} was ${done}.` }
    : { ok: false, text: refusalText(subject, done, reply) };
}
