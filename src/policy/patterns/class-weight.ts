// What a class of characters costs while an expression is built, in plain characters, estimated from its
// text. The engine builds the ranges of each class that is written: a Unicode class such as `\pL` has a
// thousand of them, and since upper and lower case are the same, every character of a range such as
// `[B-\x{1e942}]` is looked up: 125,000. It copies the ranges again for each repetition of the class.

export interface ClassWeight {
  /** For each time that the class is written. */
  readonly once: number;
  /** For each repetition; 1 for a plain character. */
  readonly each: number;
}

const plain: ClassWeight = { once: 0, each: 1 };
/** The engine collects and sorts the ranges of a Unicode class. */
const unicodeWork = 32;
/** Likewise for `\w` and `\W`, whose few ranges are in several cases. */
const wordWork = 2;
/** Characters and ranges in a class that take as long to parse as a plain character does. */
const itemsPerChar = 8;
/** Characters of a range whose other case is looked up meanwhile. */
const foldsPerChar = 128;
/** Items whose ranges are copied meanwhile, and the time that this takes for a Unicode class. */
const copiesPerChar = 128;
const unicodeCopy = 3;
/** The first and the last character that have another case. */
const firstFolded = 0x41;
const lastFolded = 0x1e943;

/** One item of a class: an escape, or a character. */
const ITEM = /\\x\{[^}]*\}|\\[pP](?:\{[^}]*\}|[^])|\\x[^]{2}|\\[^]|[^]/gu;
const UNICODE_CLASS = /^\\[pP]/u;
const WORD_CLASS = /^\\[wW]$/u;

/** `part`: a class in brackets, an escape or a character. Never much too low. */
export function classWeight(part: string): ClassWeight {
  if (part.length <= 1) return plain;
  const items = part.match(ITEM) ?? [];
  const unicode = countOf(items, UNICODE_CLASS);
  return {
    once:
      unicode * unicodeWork +
      countOf(items, WORD_CLASS) * wordWork +
      Math.floor(items.length / itemsPerChar) +
      Math.floor(foldsIn(items) / foldsPerChar),
    each: 1 + unicode * unicodeCopy + Math.floor(items.length / copiesPerChar),
  };
}

function countOf(items: readonly string[], shape: RegExp): number {
  return items.reduce((count, item) => count + (shape.test(item) ? 1 : 0), 0);
}

/** Characters in all ranges; a hyphen that is no range may be counted as one. */
function foldsIn(items: readonly string[]): number {
  let folds = 0;
  for (let at = 1; at < items.length - 1; at++)
    if (items[at] === '-') folds += folded(highOf(items[at + 1] ?? '')) - folded(lowOf(items[at - 1] ?? ''));
  return folds;
}

/** Characters up to this one that have another case, or lie between such. */
function folded(rune: number): number {
  return Math.min(Math.max(rune, firstFolded), lastFolded) - firstFolded;
}

function lowOf(item: string): number {
  if (item.startsWith('\\x')) return hexOf(item, 0);
  return item.startsWith('\\') ? 0 : (item.codePointAt(0) ?? 0);
}

function highOf(item: string): number {
  if (item.startsWith('\\x')) return hexOf(item, lastFolded);
  // The largest octal escape is \777.
  return item.startsWith('\\') ? Math.max(0o777, item.codePointAt(1) ?? 0) : (item.codePointAt(0) ?? 0);
}

function hexOf(item: string, otherwise: number): number {
  const value = Number.parseInt(item.replaceAll(/[^0-9a-f]/giu, ''), 16);
  return Number.isNaN(value) ? otherwise : value;
}
