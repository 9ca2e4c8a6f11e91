// Whether an expression is so loose that many of its kind slow down every query. The engine tries all
// expressions at once, and that is fast as long as few of them remain possible: `ads[0-9]+` fails at the
// first other character, while `[a-z].*[0-9].*x` remains possible to the end of nearly every name. Fifty of
// the latter cost milliseconds for each new name, a thousand of the former microseconds. A rough check is
// enough: repetitions of something that matches many characters, and the literal characters before it.

/** Something that matches many characters, or a group, repeated without a small bound. */
const WIDE = /(?:(?<!\\)\.|\\[wWdDsSpP]|\]|\))(?:[*+]|\{\d*,\}|\{\d*,?\d{2,}\})/g;
/** The beginning of the name or of a label, then literal characters. */
const OWN = /^(?:\^|\((?:\?:)?\^\|\\\.\))?((?:\\[._-]|[a-z0-9_-])*)/i;
/** With this many literal characters before the first repetition an expression is not loose. */
const LITERAL_CHARS = 3;

export function isLoosePattern(pattern: string): boolean {
  const [first, second] = pattern.matchAll(WIDE);
  if (first === undefined) return false;
  return second !== undefined || literalChars(pattern.slice(0, first.index)) < LITERAL_CHARS;
}

/** 0 when they are only one of several alternatives. */
function literalChars(text: string): number {
  const [whole = '', own = ''] = OWN.exec(text) ?? [];
  return text[whole.length] === '|' ? 0 : own.replaceAll('\\', '').length;
}
