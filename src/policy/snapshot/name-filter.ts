// A small filter in front of the table: one bit for each fingerprint, eight bits of room for each name.
// Nearly all queried names have no rule, each query looks up several suffixes, and a cell is a cache miss:
// seven of eight such lookups end here, in a megabyte that stays in the cache. The position is scaled from
// the high half of the fingerprint, because the low half determines the cell.

import { cellWords, filterBitsPerName, headerWords } from './layout.ts';

const perWord = 2 ** -32;

/** Words for this many names. */
export function filterWordsFor(names: number): number {
  return Math.max(1, Math.ceil((names * filterBitsPerName) / 32));
}

export function filterScaleOf(filterWords: number): number {
  return filterWords * 32 * perWord;
}

/** The number of the fingerprint's bit; below 2^31, because a buffer's limit is 67 million names. */
export function filterBitOf(high: number, scale: number): number {
  return ((high >>> 0) * scale) | 0;
}

/** Sets the bits of all cells in use. */
export function fillFilter(cells: Int32Array, filter: Int32Array): void {
  const scale = filterScaleOf(filter.length);
  filter.fill(0);
  for (let at = headerWords; at < cells.length; at += cellWords) {
    if ((cells[at + 2] ?? 0) === 0) continue;
    const bit = filterBitOf(cells[at + 1] ?? 0, scale);
    filter[bit >>> 5] = (filter[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }
}
