// Classes of bytes in list text. Tables instead of comparisons: every byte of a list of a million lines is
// classified once, with one load.

const TAB = 0x09;
export const NEWLINE = 0x0a;
export const RETURN = 0x0d;
const SPACE = 0x20;
export const HASH = 0x23;
export const STAR = 0x2a;
export const DASH = 0x2d;
export const DOT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const AT = 0x40;
export const CARET = 0x5e;
export const BAR = 0x7c;

/** What the first byte of a line means. */
export const LineStart = { other: 0, name: 1, comment: 2, bars: 3, star: 4, colon: 5 } as const;

function isNameByte(byte: number): boolean {
  return /[a-z0-9_-]/i.test(String.fromCharCode(byte));
}

/** A byte of a name in lower case; the dot as itself; 0 for bytes that end a name. */
export const NAME_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === DOT) return DOT;
  return isNameByte(byte) ? String.fromCharCode(byte).toLowerCase().charCodeAt(0) : 0;
});

/** By first byte. A rule of a browser may begin with a dash; no name in a list does. */
export const LINE_STARTS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (isNameByte(byte)) return byte === DASH ? LineStart.other : LineStart.name;
  const char = String.fromCharCode(byte);
  if ('#!;['.includes(char)) return LineStart.comment;
  if ('|@'.includes(char)) return LineStart.bars;
  if (char === ':') return LineStart.colon;
  return char === '*' ? LineStart.star : LineStart.other;
});

export function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

/** The first position after the blanks at `at`. */
export function skipBlanks(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end && isBlank(bytes[next] ?? 0)) next += 1;
  return next;
}

/** A byte that text does not contain: control characters except tab, newline and return. */
export function isControl(byte: number): boolean {
  if (byte >= SPACE) return byte === 0x7f;
  return byte !== TAB && byte !== NEWLINE && byte !== RETURN;
}

/** The bytes of an ASCII text, to compare with. */
export function latin(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}
