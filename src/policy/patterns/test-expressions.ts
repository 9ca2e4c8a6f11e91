// For tests: automata of expressions, and the names that an attacker asks for.

import * as re2js from 're2js';

import { automatonOf, type Automaton } from './automaton.ts';

export function testAutomaton(text: string): Automaton {
  const automaton = automatonOf(re2js.RE2JS.compile(text, re2js.RE2JS.CASE_INSENSITIVE).re2().prog);
  if (automaton === undefined) throw new Error(`${text} has too many edges`);
  return automaton;
}

/** The longest names there are, of few signs. */
export const longNames: readonly string[] = ['a', 'q', 'qa', 'a1', 'xq-', 'z'].map((signs) =>
  Array.from({ length: 4 }, (_, at) => signs.repeat(63).slice(0, at === 3 ? 61 : 63)).join('.'),
);
