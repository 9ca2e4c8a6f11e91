// The layout of a snapshot in its buffer: a header of 64 words, then the cells, the filter, the rows of
// rules, the sets of rows, and at the end the rare parts (lists, options, patterns) as JSON. All words are
// int32 in the machine's byte order; on a machine with the other byte order the magic word differs, and the
// file is refused.
//
//   cell  [fingerprint low, fingerprint high, value]        12 bytes, at most 0.85 of them in use
//   value 0: empty; below `setBase`: a row's number + 1; from `setBase` on: where a set begins, + setBase
//   filter  a bit per 1/8 name, set for each fingerprint: it rules out most names that have no rule
//   row   [source << 8 | flags, number of its options or 0]
//   set   [count, perhaps | hasBadfilter; then the numbers of its rows; with hasBadfilter, then a link for
//         each row: the place in this set, from 1 on, of the first badfilter that disables the row; for a
//         badfilter, that of the next one that disables the same rows; 0 for none]

export const headerWords = 64;

/** Words of the header. */
export const Head = {
  magic: 0,
  format: 1,
  key: 2,
  cells: 6,
  tail: 7,
  names: 8,
  rowsAt: 9,
  rows: 10,
  setsAt: 11,
  setWords: 12,
  metaAt: 13,
  metaBytes: 14,
  usedWords: 15,
  checksum: 16,
  filterAt: 18,
  filterWords: 19,
} as const;

export const keyWords = 4;
export const checksumWords = 2;
/** "SLUI", as a little-endian word. */
export const magic = 0x49554c53;
/** Increases with every change of this layout: an older file is built again, never interpreted. */
export const format = 2;

export const cellWords = 3;
export const rowWords = 2;
export const setBase = 2 ** 30;
export const hasBadfilter = 2 ** 30;

/** Cells after the last home, so that a probe never wraps around. */
export const tailCells = 256;
/**
 * The table grows above this fill level; after growing, a name takes less than 16 bytes including the filter.
 */
export const fullest = 0.85;
export const fullAfterGrowth = 0.81;
/** One byte per name: 1 MB for 1,000,000, which fits into the processor's cache, unlike 15 MB of cells. */
export const filterBitsPerName = 8;

/** Flags in a row's first word. */
export const Flag = { reach: 3, allow: 4, important: 8, badfilter: 16 } as const;
export const Reach = { exact: 0, below: 1, onlyBelow: 2 } as const;
export const sourceShift = 8;

/**
 * Rules for one name, of all lists: as many as there may be lists, or own rules for one name. Each of them is
 * judged for every query below the name.
 */
export const maxRowsPerName = 1024;
export const maxSources = 2 ** 22;
export const maxRows = 2 ** 22;
/** 17 bits of a row's key, and more than a user can have own rules. */
export const maxOptions = 2 ** 17 - 1;
/**
 * Approximate size of all options: a dns worker holds them as objects, and those of the previous snapshot.
 */
export const maxOptionBytes = 2 ** 24;
export const maxPatterns = 10_000;
/**
 * Total size of all patterns, see pattern-size.ts. A dns worker builds that in about 350 ms of CPU time,
 * with a pause after each 300 of it; one expression takes up to 50 ms.
 */
export const maxPatternSize = 30_000;
/** Address space reserved for a buffer; memory is allocated only as the table grows. 67 million names. */
export const maxBytes = 2 ** 30;
