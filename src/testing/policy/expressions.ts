// For tests: automata of regular expressions, and the worst-case names that an attacker would query.

import * as re2js from 're2js';

import { automatonOf, type Automaton } from '../../policy/patterns/automaton.ts';

export function testAutomaton(text: string): Automaton {
  const automaton = automatonOf(re2js.RE2JS.compile(text, re2js.RE2JS.CASE_INSENSITIVE).re2().prog);
  if (automaton === undefined) throw new Error(`${text} has too many edges`);
  return automaton;
}

/** Names of maximum length with few different characters; some have bytes that are written as `\ddd`. */
export const longNames: readonly string[] = [
  ...['a', 'q', 'qa', 'a1', 'xq-', 'z'].map((characters) => Array.from(characters)),
  // Contains every pair that the expressions of the tests require.
  Array.from('aqbqcqdqeqfqgqhqiqjqkqlqmqnqoqpqrqsqtquqvqwqxq'),
  ['\\255'],
  ['\\000', 'a'],
  ['q', '\\046', '\\092'],
].map((characters) =>
  [63, 63, 63, 61]
    .map((length) => Array.from({ length }, (_, at) => characters[at % characters.length]).join(''))
    .join('.'),
);
