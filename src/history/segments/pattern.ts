// Texts with `*`, for searches in memory. Not a regular expression: one with a dozen wildcards takes hours on
// a suitable name, and any client that may read queries may send such a pattern. Taking each part of the
// pattern where it occurs first is sufficient, so the work grows only with the length of the text.

/** `*` matches any run of characters; letters match in either case. */
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

/**
 * Where the last of these parts ends when they follow each other from there on; negative if one is missing.
 */
function endOf(parts: readonly string[], text: string, from: number): number {
  let end = from;
  for (const part of parts) {
    const at = text.indexOf(part, end);
    if (at < 0) return -1;
    end = at + part.length;
  }
  return end;
}
