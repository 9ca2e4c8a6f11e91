// For tests and benchmarks: sets of regular expressions at the limits of what is accepted, each expensive in
// a different way.

import { mostPatterns, mostPatternSize } from '../../policy/snapshot/layout.ts';

function times(count: number, make: (index: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

function letter(index: number): string {
  return String.fromCodePoint(0x61 + (index % 26));
}

export const worstSets: Readonly<Record<string, readonly string[]>> = {
  'repetitions that can start anywhere': times(
    mostPatternSize / 70,
    (at) => `.{0,30}.{0,30}[^a-q.]{${1 + (at % 4)}}`,
  ),
  'nested loops': times(mostPatternSize / 120, (at) => `(.*a){40}[^${letter(at)}]{2}[r-y]`),
  'optional parts': times(mostPatternSize / 40, (at) => `(.?){15}[^a-q.]{${1 + (at % 4)}}`),
  'the maximum number, each matching almost any name': times(mostPatterns, (at) => `${letter(at)}.`),
  'the maximum number, all anchored at the start': times(mostPatterns, (at) => `^.[^${letter(at)}]`),
  'many grams each': times(mostPatterns, () => '[a-x]q.'),
  'many grams each, with different last letters': times(mostPatterns, (at) => `[a-x]${'jqxz'[at % 4]}.`),
  'the maximum number, all with the same three letters': times(mostPatterns, () => 'aaa'),
  'words of one letter': times(mostPatternSize / 1000, (at) => 'a'.repeat(999) + letter(at)),
};
