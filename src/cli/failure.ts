// Error replies of the service as sentences. A reply has a message and a hint, which may be a text or an
// object. Frequent errors (not found, duplicate) get a sentence about the item that the user named.

import { exitCodes, type ExitCode } from './exit-codes.ts';
import { printable } from './printable.ts';
import { article, capitalised, named, type Subject } from './subject.ts';
import type { Terminal } from './terminal.ts';

/** An error reply. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly hint: unknown;
}

/** Prints a problem; the result is the exit code of the command. */
export function fail(terminal: Terminal, problem: string): ExitCode {
  terminal.error(problem);
  return exitCodes.failed;
}

/** Prints what failed, with the reason from the reply. */
export function refuse(terminal: Terminal, what: string, refusal: Refusal): ExitCode {
  return fail(terminal, `${what}: ${reasonOf(refusal)}`);
}

export function reasonOf({ message, hint }: Refusal): string {
  const detail = hintText(hint);
  return printable(detail === '' ? message : `${message} (${detail})`);
}

function hintText(hint: unknown): string {
  if (hint === null || hint === undefined) return '';
  if (typeof hint !== 'object') return String(hint);
  return Object.entries(hint)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

/** A sentence about one item that was not `added`, `changed` and so on. */
export function refusalText(subject: Subject, done: string, refusal: Refusal): string {
  if (refusal.status === 404) return `There is no ${named(subject)}.`;
  const taken = takenName(refusal.hint);
  if (taken !== undefined) return `There is ${article({ ...subject, name: taken })} already.`;
  // A hint that only repeats the name says nothing new.
  const hint = refusal.hint === subject.name ? null : refusal.hint;
  return `${capitalised(named(subject))} was not ${done}: ${reasonOf({ ...refusal, hint })}`;
}

/** The name in the hint of a duplicate: only this hint has both fields. */
function takenName(hint: unknown): string | undefined {
  if (typeof hint !== 'object' || hint === null) return undefined;
  if (!('argument' in hint) || !('sql_msg' in hint)) return undefined;
  return typeof hint.argument === 'string' ? hint.argument : undefined;
}
