// Whether an expression leaves so much open that many of its kind slow every query down. The engine tries all
// expressions at once, and that is quick as long as a name leaves few of them possible: `ads[0-9]+` is over
// at the first sign that is not its own, while `[a-z].*[0-9].*x` stays possible to the end of nearly every
// name. Fifty of the latter cost milliseconds for each new name, a thousand of the former microseconds. A
// rough look is enough: repetitions of something that many signs fit, and what has to be there before.

/** What many signs fit, or a group, repeated without a bound that is small. */
const WIDE = /(?:(?<!\\)\.|\\[wWdDsSpP]|\]|\))(?:[*+]|\{\d*,\}|\{\d*,?\d{2,}\})/g;
/** The begin of the name or of a label, then signs that stand for themselves. */
const OWN = /^(?:\^|\((?:\?:)?\^\|\\\.\))?((?:\\[._-]|[a-z0-9_-])*)/i;
/** So many signs of its own before the first repetition keep an expression from being possible everywhere. */
const OWN_SIGNS = 3;

export function isLoosePattern(pattern: string): boolean {
  const [first, second] = pattern.matchAll(WIDE);
  if (first === undefined) return false;
  return second !== undefined || ownSigns(pattern.slice(0, first.index)) < OWN_SIGNS;
}

/** None when they are but one choice of several. */
function ownSigns(text: string): number {
  const [whole = '', own = ''] = OWN.exec(text) ?? [];
  return text[whole.length] === '|' ? 0 : own.replaceAll('\\', '').length;
}
