// What an expression can cost at most: the steps for a name of 253 signs that is the worst for it. At
// each place of the name every state that so many signs can lead to may be open, as far as one and the same
// sign leads into all of them; each open state costs as many steps as it has edges. So the cost is
// states x 253 for what leaves everything open, and far less for words, of which few go on at any sign.

import { longestText, matched, Need, needOf, signCount, targetOf, type Automaton } from './automaton.ts';
import { runSteps } from './matcher.ts';

/** Counted as the matcher does (see matcher.ts); what is more than `enough` is not counted to the end. */
export function mostSteps(automaton: Automaton, enough = Infinity): number {
  const columns = columnsOf(automaton);
  const sizes = Int32Array.from(automaton.edges, (row) => row.length);
  // State 0 is the beginning.
  let open: readonly number[] = [0];
  let steps = runSteps;
  for (let at = 0; at <= longestText && steps <= enough; at++) {
    const here = 1 + heaviest(open, sizes, columns);
    const next = nextOf(automaton, open, at === 0);
    steps += here;
    if (next.length === 0) return steps;
    // Nothing changes any more.
    if (at > 0 && areSame(open, next)) return steps + here * (longestText - at);
    open = next;
  }
  return steps;
}

/** Which states can be open after one more sign, in the order of their numbers. */
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

/** One for all signs that the states treat alike: which states take them. */
function columnsOf({ signs }: Automaton): readonly Uint8Array[] {
  const tables = [...new Set(signs)];
  const columns = new Map<string, number>();
  for (let sign = 0; sign < signCount; sign++)
    columns.set(tables.map((table) => table[sign] ?? 0).join(''), sign);
  return Array.from(columns.values(), (sign) => Uint8Array.from(signs, (table) => table[sign] ?? 0));
}

/** The steps of the beginning, and of those open states that one sign can lead into together. */
function heaviest(open: readonly number[], sizes: Int32Array, columns: readonly Uint8Array[]): number {
  let most = 0;
  for (const column of columns) {
    let sum = 0;
    for (const state of open) if (state === 0 || column[state] === 1) sum += sizes[state] ?? 0;
    most = Math.max(most, sum);
  }
  return most;
}
