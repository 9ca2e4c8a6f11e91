// Parses expressions and keeps the results, so that many of them can be parsed in turns: a dns worker answers
// queries in between. It is dropped when the policy is built.

import type * as re2js from 're2js';
import { patternSize } from './pattern-size.ts';
import { automatonOf, CharTables, type Automaton } from './automaton.ts';
import { requiredGrams, type Grams } from './required-grams.ts';

/** The properties of an expression before it is run. */
export interface ReadPattern {
  readonly automaton: Automaton;
  readonly grams: Grams | undefined;
  readonly edges: number;
}

/** Size of the patterns that are parsed without a pause, see pattern-size.ts: some milliseconds. */
const charsPerTurn = 300;

export class PatternReader {
  readonly #engine: Pick<typeof re2js, 'RE2JS'>;
  readonly #tables = new CharTables();
  readonly #known = new Map<string, ReadPattern | undefined>();

  constructor(engine: Pick<typeof re2js, 'RE2JS'>) {
    this.#engine = engine;
  }

  /** Undefined for an expression that cannot be parsed, or has too many edges. */
  read(text: string): ReadPattern | undefined {
    if (!this.#known.has(text)) this.#known.set(text, this.#readNew(text));
    return this.#known.get(text);
  }

  async readAll(texts: readonly string[]): Promise<void> {
    let chars = 0;
    for (const text of texts) {
      this.read(text);
      chars += patternSize(text) + 1;
      if (chars < charsPerTurn) continue;
      chars = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #readNew(text: string): ReadPattern | undefined {
    const automaton = this.#automatonOf(text);
    if (automaton === undefined) return undefined;
    const edges = automaton.edges.reduce((sum, row) => sum + row.length, 0);
    return { automaton, grams: requiredGrams(automaton), edges };
  }

  #automatonOf(text: string): Automaton | undefined {
    const { RE2JS } = this.#engine;
    try {
      return automatonOf(RE2JS.compile(text, RE2JS.CASE_INSENSITIVE).re2().prog, this.#tables);
    } catch {
      return undefined;
    }
  }
}
