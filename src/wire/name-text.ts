// Names as text (RFC 1035 section 5.1). A dot inside a label is "\.", other bytes that are not printable are
// "\DDD": no two names share a text. Text is lower-cased when it is parsed, because names are compared as
// lower-cased bytes; the caller must convert letters beyond ASCII to Punycode.

import { u8 } from './bytes.ts';
import { lowerCase, MAX_LABEL_BYTES, MAX_NAME_BYTES } from './names.ts';

const DOT = 0x2e;
const BACKSLASH = 0x5c;
/** These have a meaning in zone files and are escaped. */
const SPECIAL = new Set(Array.from('."();@$\\', (sign) => sign.charCodeAt(0)));
/** A longer text cannot be a name: each of 255 bytes takes at most four characters. */
const MAX_TEXT_CHARACTERS = 4 * MAX_NAME_BYTES;

/** The wire bytes, lower-cased, with the root label; undefined when the text is not a name. */
export function nameFromText(text: string): Uint8Array | undefined {
  if (text === '.') return Uint8Array.of(0);
  if (text === '' || text.length > MAX_TEXT_CHARACTERS) return undefined;
  const bytes: number[] = [];
  let at = 0;
  while (at < text.length) {
    at = readLabel(text, at, bytes);
    if (at === -1) return undefined;
  }
  bytes.push(0);
  return bytes.length > MAX_NAME_BYTES ? undefined : Uint8Array.from(bytes);
}

/** Adds the label that begins at `from`. Returns where the next one begins, or -1 when it is not a label. */
function readLabel(text: string, from: number, bytes: number[]): number {
  const lengthAt = bytes.push(0) - 1;
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== DOT) {
    const width = text.charCodeAt(at) === BACKSLASH ? escapeWidth(text, at) : plainWidth(text, at);
    if (width === 0) return -1;
    bytes.push(lowerCase(byteOf(text, at, width)));
    at += width;
  }
  const length = bytes.length - lengthAt - 1;
  bytes[lengthAt] = length;
  return length > 0 && length <= MAX_LABEL_BYTES ? at + 1 : -1;
}

function plainWidth(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code > 0x20 && code < 0x7f ? 1 : 0;
}

/**
 * How many characters the escape at `at` takes: 4 for "\DDD" up to 255, 2 for "\." and similar ones, else 0.
 */
function escapeWidth(text: string, at: number): number {
  const digits = /^\d{3}$/.exec(text.slice(at + 1, at + 4));
  if (digits !== null) return Number(digits[0]) <= 255 ? 4 : 0;
  const code = text.charCodeAt(at + 1);
  const isDigit = code >= 0x30 && code <= 0x39;
  return code >= 0x20 && code < 0x7f && !isDigit ? 2 : 0;
}

function byteOf(text: string, at: number, width: number): number {
  if (width === 4) return Number(text.slice(at + 1, at + 4));
  return text.charCodeAt(at + width - 1);
}

/** The name at `at` of uncompressed bytes, without a dot at the end; "." for the root. */
export function nameToText(name: Uint8Array, at = 0): string {
  let text = '';
  let next = at;
  const last = at + MAX_NAME_BYTES;
  while (next < last) {
    const length = u8(name, next);
    if (length === 0 || length > MAX_LABEL_BYTES) break;
    if (text !== '') text += '.';
    const stop = Math.min(next + 1 + length, name.length);
    for (next += 1; next < stop; next += 1) text += characterOf(u8(name, next));
  }
  return text === '' ? '.' : text;
}

function characterOf(byte: number): string {
  if (byte <= 0x20 || byte >= 0x7f) return `\\${String(byte).padStart(3, '0')}`;
  return SPECIAL.has(byte) ? `\\${String.fromCharCode(byte)}` : String.fromCharCode(byte);
}
