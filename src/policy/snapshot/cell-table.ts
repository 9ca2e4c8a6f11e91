// The table of fingerprints while it is built. Cells are probed linearly and kept in the order of their
// fingerprints, which has two advantages: a search stops at the first larger one, so that a miss costs no
// more than a hit, even when the table is nearly full; and the cells as a whole are sorted, so that the table
// can be rearranged for another size in its own memory, without a second copy. The home of a fingerprint is
// its low half scaled to the number of cells (no division, no power of two).

import { cellWords, fullAfterGrowth, fullest, headerWords, tailCells } from './layout.ts';

const minCells = 64;
const perWord = 2 ** -32;

/** The cell that a fingerprint belongs to; `scale` is the number of cells / 2^32. */
export function homeOf(low: number, scale: number): number {
  return ((low >>> 0) * scale) | 0;
}

export function scaleOf(cells: number): number {
  return cells * perWord;
}

export function wordsOf(cells: number): number {
  return headerWords + (cells + tailCells) * cellWords;
}

export function cellsFor(names: number): number {
  return Math.max(minCells, Math.ceil(names / fullAfterGrowth));
}

export class CellTable {
  readonly buffer: SharedArrayBuffer;
  words: Int32Array;
  cells: number;
  names = 0;
  #scale = 0;
  #most = 0;
  /** Index in words of the cell that `find` reached. */
  #at = 0;

  /** The previous content of the buffer is ignored. */
  constructor(buffer: SharedArrayBuffer, cells: number) {
    this.buffer = buffer;
    this.cells = cells;
    this.words = this.#wordsFor(cells);
    this.words.fill(0);
    this.#setSize(cells);
  }

  /** The value at this fingerprint, 0 when it is missing; `put` then uses the same cell. */
  find(low: number, high: number): number {
    const { words } = this;
    const wanted = low >>> 0;
    let at = headerWords + homeOf(low, this.#scale) * cellWords;
    for (;;) {
      const value = words[at + 2] ?? 0;
      const there = words[at] ?? 0;
      if (value === 0 || there >>> 0 > wanted) break;
      if (there === low) {
        const order = (words[at + 1] ?? 0) - high;
        if (order === 0) {
          this.#at = at;
          return value;
        }
        if (order > 0) break;
      }
      at += cellWords;
    }
    this.#at = at;
    return 0;
  }

  /** For the fingerprint that was just found. */
  replace(value: number): void {
    this.words[this.#at + 2] = value;
  }

  /** Right after a `find` without a result. False when the buffer is full. */
  put(low: number, high: number, value: number): boolean {
    if (this.names >= this.#most) {
      if (!this.#grow()) return false;
      this.find(low, high);
    }
    while (!this.#makeRoom()) {
      if (!this.#grow()) return false;
      this.find(low, high);
    }
    const { words } = this;
    const at = this.#at;
    words[at] = low;
    words[at + 1] = high;
    words[at + 2] = value;
    this.names++;
    return true;
  }

  /** Moves the cells at this position by one, up to the next empty one. */
  #makeRoom(): boolean {
    const { words } = this;
    let end = this.#at;
    while ((words[end + 2] ?? 0) !== 0) end += cellWords;
    // The very last cell stays empty: a search stops at it.
    if (end >= words.length - cellWords) return false;
    for (let word = end - 1; word >= this.#at; word--) words[word + cellWords] = words[word] ?? 0;
    return true;
  }

  #grow(): boolean {
    const cells = cellsFor(Math.max(this.names, minCells));
    return this.layOut(Math.max(cells, Math.ceil(this.cells * 1.01) + 1));
  }

  /**
   * Rearranges the table for this many cells, in the same memory: all cells move to the end in their order,
   * and from there each to its new place, which is never after its source. False when the buffer cannot
   * become that large.
   */
  layOut(cells: number): boolean {
    if (wordsOf(cells) * 4 > this.buffer.maxByteLength) return false;
    const before = this.words.length;
    const words = this.#wordsFor(Math.max(cells, this.cells));
    // A reused buffer has old content there.
    words.fill(0, before);
    const from = packAtEnd(words, before);
    this.words = this.#wordsFor(cells);
    this.#setSize(cells);
    spread(words, from, this.#scale);
    return true;
  }

  #setSize(cells: number): void {
    this.cells = cells;
    this.#scale = scaleOf(cells);
    this.#most = Math.floor(cells * fullest);
  }

  #wordsFor(cells: number): Int32Array {
    const bytes = wordsOf(cells) * 4;
    if (this.buffer.byteLength < bytes) this.buffer.grow(bytes);
    return new Int32Array(this.buffer, 0, bytes / 4);
  }
}

/** Returns where the first cell is now. Cells with the value 0 are empty; their other words are not read. */
function packAtEnd(words: Int32Array, end: number): number {
  let to = words.length;
  for (let at = end - cellWords; at >= headerWords; at -= cellWords) {
    const value = words[at + 2] ?? 0;
    if (value === 0) continue;
    words[at + 2] = 0;
    to -= cellWords;
    words[to] = words[at] ?? 0;
    words[to + 1] = words[at + 1] ?? 0;
    words[to + 2] = value;
  }
  return to;
}

function spread(words: Int32Array, first: number, scale: number): void {
  let next = headerWords;
  for (let from = first; from < words.length; from += cellWords) {
    const low = words[from] ?? 0;
    const value = words[from + 2] ?? 0;
    words[from + 2] = 0;
    const home = headerWords + homeOf(low, scale) * cellWords;
    const to = home > next ? home : next;
    // Hundreds of cells more at the end than chance allows: impossible under a secret key.
    if (to > from) throw new RangeError('the fingerprints of a snapshot are not spread evenly');
    words[to] = low;
    words[to + 1] = words[from + 1] ?? 0;
    words[to + 2] = value;
    next = to + cellWords;
  }
}
