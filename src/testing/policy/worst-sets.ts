// For tests and measurements: sets of expressions at the edge of what is accepted, each expensive in another
// way.

import { mostPatterns, mostPatternSize } from '../../policy/snapshot/layout.ts';

const times = (count: number, make: (index: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, at) => make(at));

const letter = (index: number): string => String.fromCodePoint(0x61 + (index % 26));

export const worstSets: Readonly<Record<string, readonly string[]>> = {
  'repetitions that are open everywhere': times(
    mostPatternSize / 70,
    (at) => `.{0,30}.{0,30}[^a-q.]{${1 + (at % 4)}}`,
  ),
  'nested loops': times(mostPatternSize / 120, (at) => `(.*a){40}[^${letter(at)}]{2}[r-y]`),
  'optional parts': times(mostPatternSize / 40, (at) => `(.?){15}[^a-q.]{${1 + (at % 4)}}`),
  'as many as there may be, each for any name': times(mostPatterns, (at) => `${letter(at)}.`),
  'as many as there may be, each begun at once': times(mostPatterns, (at) => `^.[^${letter(at)}]`),
  'many grams each': times(mostPatterns, () => '[a-x]q.'),
  'many grams each, that end in different letters': times(mostPatterns, (at) => `[a-x]${'jqxz'[at % 4]}.`),
  'as many as there may be, all with the same three letters': times(mostPatterns, () => 'aaa'),
  'words of one letter': times(mostPatternSize / 1000, (at) => 'a'.repeat(999) + letter(at)),
};
