// Lines of a text for display: without unprintable characters and truncated, because lists come from
// untrusted servers and their lines are shown in terminals.

const newline = 0x0a;
const maxCharacters = 500;
/** Control characters, separators, and characters that change the writing direction. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The line with this index, counted from 0; '' when there is none. */
export function lineText(bytes: Uint8Array, index: number): string {
  let at = 0;
  for (let line = 0; line < index && at < bytes.length; line++) at = endOfLine(bytes, at) + 1;
  return index < 0 || at >= bytes.length ? '' : shownLine(bytes, at, endOfLine(bytes, at));
}

export function newlinesIn(bytes: Uint8Array, from: number, end: number): number {
  let count = 0;
  for (let at = from; at < end; at++) if (bytes[at] === newline) count += 1;
  return count;
}

export function endOfLine(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(newline, from);
  return end === -1 ? bytes.length : end;
}

export function shownLine(bytes: Uint8Array, from: number, end: number): string {
  const cut = bytes.subarray(from, Math.min(end, from + maxCharacters * 4));
  const text = Buffer.from(cut.buffer, cut.byteOffset, cut.byteLength).toString('utf8');
  return [...text.trim().replaceAll('\t', ' ').replaceAll(unprintable, '\u{fffd}')]
    .slice(0, maxCharacters)
    .join('');
}
