// What the service refused, in words for people. It tells a message and a hint, and the hint may be a text or
// an object; what a person can act on is the thing they named, so the usual refusals are said about that.

import { exitCodes, type ExitCode } from './exit-codes.ts';
import { printable } from './printable.ts';
import { article, capitalised, named, type Subject } from './subject.ts';
import type { Terminal } from './terminal.ts';

/** A reply that is no success, as the client gives it. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly hint: unknown;
}

/** Tells that something could not be done, and how the command ends therefore. */
export const refuse = (terminal: Terminal, what: string, refusal: Refusal): ExitCode => {
  terminal.error(`${what}: ${reasonOf(refusal)}`);
  return exitCodes.failed;
};

export const reasonOf = ({ message, hint }: Refusal): string => {
  const detail = hintText(hint);
  return printable(detail === '' ? message : `${message} (${detail})`);
};

const hintText = (hint: unknown): string => {
  if (hint === null || hint === undefined) return '';
  if (typeof hint !== 'object') return String(hint);
  return Object.entries(hint)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
};

/** The same about one thing that was to be `added`, `changed` and so on. */
export const refusalText = (subject: Subject, done: string, refusal: Refusal): string => {
  if (refusal.status === 404) return `There is no ${named(subject)}.`;
  const taken = takenName(refusal.hint);
  if (taken !== undefined) return `There is ${article({ ...subject, name: taken })} already.`;
  // A hint that only repeats the name says nothing new.
  const hint = refusal.hint === subject.name ? null : refusal.hint;
  return `${capitalised(named(subject))} was not ${done}: ${reasonOf({ ...refusal, hint })}`;
};

/** The name that a duplicate has: only its hint carries both fields. */
const takenName = (hint: unknown): string | undefined => {
  if (typeof hint !== 'object' || hint === null) return undefined;
  if (!('argument' in hint) || !('sql_msg' in hint)) return undefined;
  return typeof hint.argument === 'string' ? hint.argument : undefined;
};
