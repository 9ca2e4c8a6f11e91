// For tests and benchmarks: sets of regular expressions, and of other rules, at the limits of what is
// accepted, each expensive in a different way.

import { maxPatterns, maxPatternSize, maxRowsPerName } from '../../policy/snapshot/layout.ts';

function times(count: number, make: (index: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

function letter(index: number): string {
  return String.fromCodePoint(0x61 + (index % 26));
}

export const worstSets: Readonly<Record<string, readonly string[]>> = {
  'repetitions that can start anywhere': times(
    maxPatternSize / 70,
    (at) => `.{0,30}.{0,30}[^a-q.]{${1 + (at % 4)}}`,
  ),
  'nested loops': times(maxPatternSize / 120, (at) => `(.*a){40}[^${letter(at)}]{2}[r-y]`),
  'optional parts': times(maxPatternSize / 40, (at) => `(.?){15}[^a-q.]{${1 + (at % 4)}}`),
  'the maximum number, each matching almost any name': times(maxPatterns, (at) => `${letter(at)}.`),
  'the maximum number, all anchored at the start': times(maxPatterns, (at) => `^.[^${letter(at)}]`),
  'many grams each': times(maxPatterns, () => '[a-x]q.'),
  'many grams each, with different last letters': times(maxPatterns, (at) => `[a-x]${'jqxz'[at % 4]}.`),
  'the maximum number, all with the same three letters': times(maxPatterns, () => 'aaa'),
  'words of one letter': times(maxPatternSize / 1000, (at) => 'a'.repeat(999) + letter(at)),
};

/** The name with the most labels. */
export const deepestName = repeated('a', 127, '.');

function repeated(text: string, count: number, separator: string): string {
  return times(count, () => text).join(separator);
}

/** Names that are not above the deepest one, of as many different lengths as fit into a line. */
function namesOfEachLength(first: string): string {
  return times(80, (at) => `${first}${'.z'.repeat(at)}`).join('|');
}

/** Enough parts of the name to exceed the steps. */
const suffixes = times(40, (at) => repeated('a', 127 - at, '.'));

/** Lines of one list, for queries of `deepestName`. */
export const worstLists: Readonly<Record<string, readonly string[]>> = {
  'a badfilter among thousands of rules for a name': [
    '||a^$dnstype=MX,badfilter',
    ...times(3000, (at) => `||a^$dnstype=AAAA,denyallow=x${at}.a`),
  ],
  'many exceptions in many rules for a name': times(
    1400,
    (at) => `||a^$denyallow=${times(100, (other) => `x${at}-${other}.a`).join('|')}`,
  ),
  'the maximum number of rules for each part of a name, half of them badfilters': suffixes.flatMap((name) =>
    times(maxRowsPerName / 2, (at) => `||${name}^$dnstype=TYPE${1000 + at}`).flatMap((line) => [
      `${line},badfilter`,
      line,
    ]),
  ),
  'exceptions of each length in rules for each part of a name': suffixes.flatMap((name) =>
    times(20, (at) => `||${name}^$denyallow=${namesOfEachLength(`z${at}`)}`),
  ),
  'exceptions of each length in expressions that match': times(
    700,
    (at) => `/^(a|n${at})[.]/$denyallow=${namesOfEachLength('z')}`,
  ),
};
