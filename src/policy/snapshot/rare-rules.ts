// The parts of rules that are rare or not names: options, patterns, and the lengths of address ranges. They
// are objects while a snapshot is built, and JSON in it: there are thousands at most, each kind has a limit,
// and rules above it are counted as refused.

import type { AddressRange, RuleOptions } from '../rules/scanned-rule.ts';
import { patternSize } from '../patterns/pattern-size.ts';
import { maxOptions, maxOptionBytes, maxPatterns, maxPatternSize } from './layout.ts';
import { optionsToText } from './option-codec.ts';

export interface SourceCounts {
  /** The list's id, or that of an own rule. */
  readonly id: number;
  /** All rules, including duplicates and refused ones. */
  readonly entries: number;
  /** Rules that the same source already contained. */
  readonly duplicates: number;
  /** Rules above a limit. */
  readonly refused: number;
}

export interface PatternRow {
  readonly row: number;
  readonly text: string;
  readonly line: number;
}

/** The JSON at the end of a snapshot. */
export interface Meta {
  readonly sources: readonly SourceCounts[];
  readonly options: readonly string[];
  /** Numbers, from 1 on, of options that apply to some clients only. Missing in files of earlier versions. */
  readonly conditional?: readonly number[];
  readonly patterns: readonly PatternRow[];
  /** Lengths of address ranges, as bytes of the address * 256 + bits, longest first. */
  readonly prefixes: readonly number[];
}

/** Overhead of an object for a name or a client, in addition to its text. */
const bytesOfValue = 100;
function valuesIn({ denyallow = [], clients }: RuleOptions): number {
  return denyallow.length + (clients === undefined ? 0 : clients.only.length + clients.except.length);
}

export class RareRules {
  readonly options: string[] = [];
  readonly conditional: number[] = [];
  readonly patterns: PatternRow[] = [];
  readonly #byObject = new Map<RuleOptions, number>();
  readonly #byText = new Map<string, number>();
  readonly #patternKeys = new Set<string>();
  readonly #prefixes = new Set<number>();
  #patternSize = 0;
  #optionBytes = 0;

  get prefixes(): number[] {
    return [...this.#prefixes].toSorted((a, b) => b - a);
  }

  /** From 1 on; 0 for none; -1 when there are too many. */
  optionsNumber(options: RuleOptions | undefined): number {
    if (options === undefined) return 0;
    const known = this.#byObject.get(options);
    if (known !== undefined) return known;
    const before = this.options.length;
    const number = this.#numberOfText(optionsToText(options), valuesIn(options) * bytesOfValue);
    const isNew = this.options.length > before;
    if (isNew && (options.clients !== undefined || options.tags !== undefined)) this.conditional.push(number);
    if (number >= 0 && this.#byObject.size < maxOptions) this.#byObject.set(options, number);
    return number;
  }

  #numberOfText(text: string, moreBytes: number): number {
    // A rule whose only option is being a badfilter.
    if (text === '{}') return 0;
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const size = this.#optionBytes + text.length + moreBytes;
    if (this.options.length >= maxOptions || size > maxOptionBytes) return -1;
    this.#optionBytes = size;
    const number = this.options.push(text);
    this.#byText.set(text, number);
    return number;
  }

  /** 1: new; 0: already there; -1: too many. */
  addPattern(row: number, text: string, line: number): number {
    const key = `${row} ${text}`;
    if (this.#patternKeys.has(key)) return 0;
    const size = patternSize(text);
    if (this.patterns.length >= maxPatterns || this.#patternSize + size > maxPatternSize) return -1;
    this.#patternSize += size;
    this.#patternKeys.add(key);
    this.patterns.push({ row, text, line });
    return 1;
  }

  addPrefix({ bytes, prefixBits }: AddressRange): void {
    this.#prefixes.add(bytes.length * 256 + prefixBits);
  }
}
