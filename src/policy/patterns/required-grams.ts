// Grams that every match of an expression contains: one of a few, each of two or three consecutive
// characters. They are found at places that all paths through the automaton pass, at its beginning and at its
// dominators; the place with the least likely grams is used.

import { matched, Need, needOf, charCount, targetOf, type Automaton } from './automaton.ts';
import { statesOnAllWays } from './all-ways.ts';
import { Code, codeOf, gramOf, likelihoodOf } from './char-codes.ts';

export interface Grams {
  /** Characters of each: 2 or 3. */
  readonly size: number;
  readonly grams: readonly number[];
}

/** More of them at one place do not help. */
const maxGrams = 24;
/** Grams above this likelihood do not help. */
const worst = 1;
/** When three characters are this unlikely, pairs are not tried. */
const goodEnough = 0.02;
const sizes = [3, 2] as const;
/** Edges and characters that are tried for one expression; then the best grams so far are used. */
const maxTries = 100_000;

/** Undefined when there are none: the expression has to be tried on every name. */
export function requiredGrams(automaton: Automaton): Grams | undefined {
  const finder = new GramFinder(automaton);
  const places = statesOnAllWays(automaton);
  let best: (Grams & { readonly likelihood: number }) | undefined;
  for (const size of sizes) {
    if (best !== undefined && best.likelihood < goodEnough) break;
    for (const place of places) {
      if (finder.tries > maxTries) return best;
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
  /** By state: the codes of its characters. */
  readonly #codes: readonly (readonly number[])[];
  tries = 0;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
    const known = new Map<Uint8Array, readonly number[]>();
    this.#codes = automaton.chars.map((chars) => {
      const codes = known.get(chars) ?? codesOf(chars);
      known.set(chars, codes);
      return codes;
    });
  }

  /** The grams that begin at a state; undefined when a path ends earlier, or when there are too many. */
  at(state: number, size: number): readonly (readonly number[])[] | undefined {
    let ways: readonly Way[] = state === 0 ? [{ state, codes: [] }] : this.#enter(state, []);
    const found: (readonly number[])[] = [];
    while (ways.length > 0) {
      const next: Way[] = [];
      for (const way of ways) {
        if (way.codes.length >= size) found.push(way.codes);
        else if (!this.#goOn(way, next)) return undefined;
        if (found.length + next.length > maxGrams) return undefined;
      }
      ways = next;
    }
    return found;
  }

  /**
   * False when the expression may have matched here, so that the characters after it are unknown, or when
   * there are too many grams.
   */
  #goOn(way: Way, next: Way[]): boolean {
    for (const edge of this.#automaton.edges[way.state] ?? []) {
      this.tries++;
      if (next.length > maxGrams || !this.#follow(way, edge, next)) return false;
    }
    // There is nothing after the end of the name.
    return way.state !== matched;
  }

  #follow({ state, codes }: Way, edge: number, next: Way[]): boolean {
    const need = needOf(edge);
    const target = targetOf(edge);
    const isBeginning = (need & Need.beginning) !== 0;
    if (isBeginning && state !== 0) return true;
    const before = isBeginning ? [Code.beginning] : codes;
    const isEnd = (need & Need.end) !== 0;
    if (target === matched && !isEnd) return false;
    if (target === matched) next.push({ state: matched, codes: [...before, Code.end] });
    else if (!isEnd) next.push(...this.#enter(target, before));
    return true;
  }

  #enter(state: number, codes: readonly number[]): readonly Way[] {
    const entered = this.#codes[state] ?? [];
    this.tries += entered.length;
    return entered.map((code) => ({ state, codes: [...codes, code] }));
  }
}

function codesOf(chars: Uint8Array): readonly number[] {
  const codes = new Set<number>();
  for (let char = 0; char < charCount; char++) if (chars[char] === 1) codes.add(codeOf[char] ?? 0);
  return [...codes];
}
