// The rows and sets of rows that fingerprints refer to while a snapshot is built. Millions of names share a
// few rows (this list, this action, this reach) and a few sets of rows (in lists 1, 3 and 7): both are stored
// once, and a cell refers to one of them. A name in a single list, as most are, refers to its row and needs
// no set.

import { hasBadfilter, Flag, maxRows, maxRowsPerName, rowWords, setBase, sourceShift } from './layout.ts';

/** Sets that are found again by (set, row); above that they are forgotten, and some sets are stored twice. */
const maxRemembered = 262_144;
const flagCount = 32;
/** What two rules with the same options have in common if one can disable the other. */
const ruleFlags = ((1 << sourceShift) - 1) & ~Flag.badfilter;

export class RuleRows {
  #words: Int32Array = new Int32Array(1024);
  #sets: Int32Array = new Int32Array(1024);
  #setWords = 0;
  count = 0;
  /** Rows without options of the current source, by their flags: nearly all rules end here. */
  readonly #current = new Int32Array(flagCount).fill(-1);
  #currentSource = -1;
  readonly #known = new Map<number, number>();
  readonly #unions = new Map<number, number>();
  readonly #maxSetWords: number;

  /** Every further rule for one name creates a longer set: some thousand of them would take all memory. */
  constructor(maxSetWords: number) {
    this.#maxSetWords = maxSetWords;
  }

  get words(): Int32Array {
    return this.#words.subarray(0, this.count * rowWords);
  }

  get sets(): Int32Array {
    return this.#sets.subarray(0, this.#setWords);
  }

  /**
   * The row of this source with these flags and options, created when it is new; -1 when there are too many.
   */
  rowOf(source: number, flags: number, options: number): number {
    if (options !== 0) return this.#knownRow(source, flags, options);
    const current = this.#current;
    if (source !== this.#currentSource) {
      this.#currentSource = source;
      current.fill(-1);
    }
    const known = current[flags] ?? -1;
    if (known >= 0) return known;
    const row = this.#knownRow(source, flags, 0);
    current[flags] = row;
    return row;
  }

  #knownRow(source: number, flags: number, options: number): number {
    // 22 bits of source, 5 of flags and 17 of options fit into a number; without options it is a small
    // integer.
    const plain = source * flagCount + flags;
    const key = options === 0 ? -1 - plain : plain * 2 ** 17 + options;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const row = this.newRow(source, flags, options);
    if (row >= 0) this.#known.set(key, row);
    return row;
  }

  /** A row that `rowOf` is never called for. */
  newRow(source: number, flags: number, options: number): number {
    if (this.count >= maxRows) return -1;
    const at = this.count * rowWords;
    if (at + rowWords > this.#words.length) this.#words = grown(this.#words, at + rowWords);
    this.#words[at] = (source << 8) | flags;
    this.#words[at + 1] = options;
    return this.count++;
  }

  /**
   * The cell's value after adding the row; the same value when it already contains the row; -1 when the name
   * has too many rows, or there is no room for another set.
   */
  union(value: number, row: number): number {
    if (value === row + 1) return value;
    const key = value * maxRows + row;
    const known = this.#unions.get(key);
    if (known !== undefined) return known;
    const made = this.#has(value, row) ? value : this.#addSet(value, row);
    if (made < 0) return made;
    if (this.#unions.size >= maxRemembered) this.#unions.clear();
    this.#unions.set(key, made);
    return made;
  }

  #has(value: number, row: number): boolean {
    if (value < setBase) return value === row + 1;
    const at = value - setBase;
    const end = at + 1 + ((this.#sets[at] ?? 0) & ~hasBadfilter);
    for (let word = at + 1; word < end; word++) if (this.#sets[word] === row) return true;
    return false;
  }

  #addSet(value: number, row: number): number {
    const header = this.#headerOf(value);
    const count = header & ~hasBadfilter;
    const hasLinks = header !== count || this.#isBadfilter(row);
    const at = this.#setWords;
    const end = at + 1 + (count + 1) * (hasLinks ? 2 : 1);
    if (count >= maxRowsPerName || end > this.#maxSetWords) return -1;
    if (end > this.#sets.length) this.#sets = grown(this.#sets, end);
    this.#copyRows(value, count, at);
    this.#sets[at + 1 + count] = row;
    this.#sets[at] = (count + 1) | (hasLinks ? hasBadfilter : 0);
    if (hasLinks) this.#addLinks(header === count ? -1 : value - setBase, at, count);
    this.#setWords = end;
    return at + setBase;
  }

  /** As if a single row were a set. */
  #headerOf(value: number): number {
    if (value >= setBase) return this.#sets[value - setBase] ?? 0;
    return 1 | (this.#isBadfilter(value - 1) ? hasBadfilter : 0);
  }

  #copyRows(value: number, count: number, at: number): void {
    const from = value - setBase;
    if (value < setBase) this.#sets[at + 1] = value - 1;
    else this.#sets.copyWithin(at + 1, from + 1, from + 1 + count);
  }

  /** `from`: the set with the links of the first `count` rows; below 0 they have none. */
  #addLinks(from: number, at: number, count: number): void {
    const linksAt = at + count + 2;
    this.#sets.fill(0, linksAt, linksAt + count + 1);
    if (from >= 0) this.#sets.copyWithin(linksAt, from + count + 1, from + count + 1 + count);
    this.#link(at, count + 1);
  }

  /** Links the last row of a set with the badfilters that disable it, or with the rows that it disables. */
  #link(at: number, count: number): void {
    const sets = this.#sets;
    const linksAt = at + count;
    const last = sets[at + count] ?? 0;
    const isLastBadfilter = this.#isBadfilter(last);
    for (let place = 1; place < count; place++) {
      const row = sets[at + place] ?? 0;
      if (!this.#isSameRule(row, last)) continue;
      if (isLastBadfilter) {
        // Rows that had no badfilter yet, and the badfilter that was the last one until now.
        if (sets[linksAt + place] === 0) sets[linksAt + place] = count;
      } else if (this.#isBadfilter(row)) {
        sets[linksAt + count] = place;
        return;
      }
    }
  }

  #isBadfilter(row: number): boolean {
    return ((this.#words[row * rowWords] ?? 0) & Flag.badfilter) !== 0;
  }

  /** Equal except that they may be badfilters, from any source. */
  #isSameRule(row: number, other: number): boolean {
    const words = this.#words;
    const difference = (words[row * rowWords] ?? 0) ^ (words[other * rowWords] ?? 0);
    return (difference & ruleFlags) === 0 && words[row * rowWords + 1] === words[other * rowWords + 1];
  }
}

function grown(words: Int32Array, atLeast: number): Int32Array {
  const larger = new Int32Array(Math.max(atLeast, words.length * 2));
  larger.set(words);
  return larger;
}
