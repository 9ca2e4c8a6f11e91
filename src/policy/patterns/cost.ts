// The maximum cost of an expression: the steps for the worst name of 253 characters. At each place of the
// name every state that is reachable by that many characters may be open, as far as the same character leads
// into all of them; each open state costs as many steps as it has edges. So the cost is states x 253 for an
// expression that keeps everything open, and far less for words, of which few states continue at any
// character.

import { MAX_NAME_CHARACTERS } from '#wire';
import { matched, Need, needOf, charCount, targetOf, type Automaton } from './automaton.ts';
import { runSteps } from './matcher.ts';

/** States that are looked at; an expression for which that is not enough counts as too expensive. */
const maxLooks = 8_000_000;

/** Counted as the matcher does (see matcher.ts); counting stops above `enough`. */
export function maxSteps(automaton: Automaton, enough = Infinity): number {
  const columns = columnsOf(automaton);
  const sizes = Int32Array.from(automaton.edges, (row) => row.length);
  // State 0 is the beginning.
  let open: readonly number[] = [0];
  let steps = runSteps;
  let looks = 0;
  for (let at = 0; at <= MAX_NAME_CHARACTERS && steps <= enough; at++) {
    const here = 1 + heaviest(open, sizes, columns);
    const next = nextOf(automaton, open, at === 0);
    steps += here;
    looks += open.length * columns.length + sizes.length;
    if (looks > maxLooks) return Infinity;
    if (next.length === 0) return steps;
    // Nothing changes any more.
    if (at > 0 && areSame(open, next)) return steps + here * (MAX_NAME_CHARACTERS - at);
    open = next;
  }
  return steps;
}

/** Which states can be open after one more character, in the order of their numbers. */
function nextOf(
  { edges, isAnchored }: Automaton,
  open: readonly number[],
  isFirst: boolean,
): readonly number[] {
  const isNext = new Uint8Array(edges.length);
  isNext[0] = isAnchored ? 0 : 1;
  const impossible = isFirst ? Need.end : Need.end | Need.beginning;
  for (const state of open)
    for (const edge of edges[state] ?? [])
      if ((needOf(edge) & impossible) === 0 && targetOf(edge) !== matched) isNext[targetOf(edge)] = 1;
  const next: number[] = [];
  for (let state = 0; state < isNext.length; state++) if (isNext[state] === 1) next.push(state);
  return next;
}

function areSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((state, at) => state === b[at]);
}

/** One for all characters that the states treat alike: which states accept them. */
function columnsOf({ chars }: Automaton): readonly Uint8Array[] {
  const tables = [...new Set(chars)];
  const columns = new Map<string, number>();
  for (let char = 0; char < charCount; char++)
    columns.set(tables.map((table) => table[char] ?? 0).join(''), char);
  return Array.from(columns.values(), (char) => Uint8Array.from(chars, (table) => table[char] ?? 0));
}

/** The steps of the beginning, and of those open states that one character can lead into together. */
function heaviest(open: readonly number[], sizes: Int32Array, columns: readonly Uint8Array[]): number {
  let most = 0;
  for (const column of columns) {
    let sum = 0;
    for (const state of open) if (state === 0 || column[state] === 1) sum += sizes[state] ?? 0;
    most = Math.max(most, sum);
  }
  return most;
}
