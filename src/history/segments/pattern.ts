// Texts with `*`, for what is looked through in memory. Not by a regular expression: one with a dozen stars
// takes hours on a name made for it, and whoever may ask for queries may send such a pattern. This takes each
// piece where it is found first, which is all it needs, so that the work grows only with the text.

/** `*` is any run of characters, everything else itself; letters of either case are the same. */
export function patternOf(pattern: string): (text: string) => boolean {
  const [first = '', ...others] = pattern.toLowerCase().split(/\*+/u);
  const last = others.pop();
  if (last === undefined) return (text) => text.toLowerCase() === first;
  return (text) => {
    const lower = text.toLowerCase();
    if (!lower.startsWith(first)) return false;
    const end = endOf(others, lower, first.length);
    return end >= 0 && lower.length - end >= last.length && lower.endsWith(last);
  };
}

/** Where the last of these pieces ends, one behind the other from there on; below 0 when one is missing. */
function endOf(pieces: readonly string[], text: string, from: number): number {
  let end = from;
  for (const piece of pieces) {
    const at = text.indexOf(piece, end);
    if (at < 0) return -1;
    end = at + piece.length;
  }
  return end;
}
