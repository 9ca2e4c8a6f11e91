// For tests: automata of expressions, and the names that an attacker asks for.

import * as re2js from 're2js';

import { automatonOf, type Automaton } from '../../policy/patterns/automaton.ts';

export function testAutomaton(text: string): Automaton {
  const automaton = automatonOf(re2js.RE2JS.compile(text, re2js.RE2JS.CASE_INSENSITIVE).re2().prog);
  if (automaton === undefined) throw new Error(`${text} has too many edges`);
  return automaton;
}

/** The longest names there are, of few signs; some of bytes that are written as `\ddd`. */
export const longNames: readonly string[] = [
  ...['a', 'q', 'qa', 'a1', 'xq-', 'z'].map((signs) => Array.from(signs)),
  // For expressions that need one of many pairs: it has all of them.
  Array.from('aqbqcqdqeqfqgqhqiqjqkqlqmqnqoqpqrqsqtquqvqwqxq'),
  ['\\255'],
  ['\\000', 'a'],
  ['q', '\\046', '\\092'],
].map((signs) =>
  [63, 63, 63, 61]
    .map((length) => Array.from({ length }, (_, at) => signs[at % signs.length]).join(''))
    .join('.'),
);
