// What every name that an expression matches has in it: one of a few grams, which are two or three signs in a
// row. They are found where all ways through the automaton pass, at its beginning and at states that no way
// goes around; of these places the one is taken whose grams are the least likely.

import { matched, Need, needOf, signCount, targetOf, type Automaton } from './automaton.ts';
import { statesOnAllWays } from './all-ways.ts';
import { Code, codeOf, gramOf, likelihoodOf } from './sign-codes.ts';

export interface Grams {
  /** Signs of each: 2 or 3. */
  readonly size: number;
  readonly grams: readonly number[];
}

/** More of them at one place are no help. */
const mostGrams = 24;
/** Nor are some that a name has more likely than not. */
const worst = 1;
/** When three signs are as unlikely, two are not looked at. */
const goodEnough = 0.02;
const sizes = [3, 2] as const;

/** Undefined: nothing is known, and the expression has to be tried on every name. */
export function requiredGrams(automaton: Automaton): Grams | undefined {
  const finder = new GramFinder(automaton);
  const places = statesOnAllWays(automaton);
  let best: (Grams & { readonly likelihood: number }) | undefined;
  for (const size of sizes) {
    if (best !== undefined && best.likelihood < goodEnough) break;
    for (const place of places) {
      const found = finder.at(place, size);
      if (found === undefined) continue;
      const likelihood = found.reduce((sum, codes) => sum + likelihoodOf(codes), 0);
      if (likelihood < (best?.likelihood ?? worst)) best = { size, grams: unique(found), likelihood };
    }
  }
  return best;
}

function unique(found: readonly (readonly number[])[]): readonly number[] {
  return [...new Set(found.map((codes) => gramOf(codes)))];
}

type Way = { readonly state: number; readonly codes: readonly number[] };

class GramFinder {
  readonly #automaton: Automaton;
  /** By state: the codes of its signs. */
  readonly #codes: readonly (readonly number[])[];

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
    const known = new Map<Uint8Array, readonly number[]>();
    this.#codes = automaton.signs.map((signs) => {
      const codes = known.get(signs) ?? codesOf(signs);
      known.set(signs, codes);
      return codes;
    });
  }

  /** Those that begin at a state; undefined when a way ends before, or when there are too many. */
  at(state: number, size: number): readonly (readonly number[])[] | undefined {
    let ways: readonly Way[] = state === 0 ? [{ state, codes: [] }] : this.#enter(state, []);
    const found: (readonly number[])[] = [];
    while (ways.length > 0) {
      const next: Way[] = [];
      for (const way of ways) {
        if (way.codes.length >= size) found.push(way.codes);
        else if (!this.#goOn(way, next)) return undefined;
        if (found.length + next.length > mostGrams) return undefined;
      }
      ways = next;
    }
    return found;
  }

  /** False when the expression may have matched here, so that nothing is known of the signs behind. */
  #goOn({ state, codes }: Way, next: Way[]): boolean {
    for (const edge of this.#automaton.edges[state] ?? []) {
      const need = needOf(edge);
      const target = targetOf(edge);
      if ((need & Need.beginning) !== 0 && state !== 0) continue;
      const before = state === 0 && (need & Need.beginning) !== 0 ? [Code.beginning] : codes;
      if (target === matched) {
        if ((need & Need.end) === 0) return false;
        next.push({ state: matched, codes: [...before, Code.end] });
      } else if ((need & Need.end) === 0) next.push(...this.#enter(target, before));
    }
    // Behind the end of the name there is nothing that could be looked at.
    return state !== matched;
  }

  #enter(state: number, codes: readonly number[]): readonly Way[] {
    return (this.#codes[state] ?? []).map((code) => ({ state, codes: [...codes, code] }));
  }
}

function codesOf(signs: Uint8Array): readonly number[] {
  const codes = new Set<number>();
  for (let sign = 0; sign < signCount; sign++) if (signs[sign] === 1) codes.add(codeOf[sign] ?? 0);
  return [...codes];
}
