// Lines of a text by their numbers, as a person may see them: printable, and cut to a bounded length, since
// lists come from strangers and end up in terminals.

const newline = 0x0a;
const charactersMax = 500;
/** Controls, separators and signs that turn the direction of writing. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** `lines`: numbers from 1 on, in any order. */
export function lineText(bytes: Uint8Array, lines: readonly number[]): Map<number, string> {
  const texts = new Map<number, string>();
  const sorted = lines.toSorted((a, b) => a - b);
  let line = 1;
  let at = 0;
  for (const wanted of sorted) {
    for (; line < wanted && at < bytes.length; line++) at = endOfLine(bytes, at) + 1;
    texts.set(wanted, shownLine(bytes, at, endOfLine(bytes, at)));
  }
  return texts;
}

export function endOfLine(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(newline, from);
  return end === -1 ? bytes.length : end;
}

export function shownLine(bytes: Uint8Array, from: number, end: number): string {
  const cut = bytes.subarray(from, Math.min(end, from + charactersMax * 4));
  const text = Buffer.from(cut.buffer, cut.byteOffset, cut.byteLength).toString('utf8');
  return [...text.trim().replaceAll(unprintable, '\u{fffd}')].slice(0, charactersMax).join('');
}
