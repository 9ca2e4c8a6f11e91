// The words by which rules name clients: an address, a range, a MAC address, `:interface`, a name, or the id
// of a configured client. Each has one form, in which rules are stored and clients compared. A text that is
// clearly a mistyped address is refused and not taken for a name, which no client would ever have.

import { addressText, isMappedIpv4 } from '#wire';
import { addressBytes } from './address-text.ts';

/** An address is a range of 128 bits. */
export interface ClientRange {
  /** 16 bytes, IPv4 as ::ffff:a.b.c.d. */
  readonly address: Uint8Array;
  /** Of the 16 bytes: 128 for one address, 96 + n for n bits of an IPv4 address. */
  readonly prefixBits: number;
}

type ClientWordKind = 'range' | 'mac' | 'interface' | 'id' | 'name';

const maxWordLength = 255;
const addressBits = 128;
const mappedBits = 96;
const mappedPrefix = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);
/** Pairs with colons or hyphens, groups of four with dots, or twelve digits without separators. */
const MAC =
  /^(?:[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}|[0-9a-f]{12})$/i;
/** As in Linux (dev_valid_name): no slash, colon or blank, not "." or "..". */
const INTERFACE = /^:(?!\.{1,2}$)[^\s/:\p{Cc}]{1,15}$/u;
const ID = /^#\d{1,15}$/;
const RANGE = /^([^/]+)\/(\d{1,3})$/;
const MISTYPED: readonly RegExp[] = [
  /^[\d./]+$/,
  // An IPv6 address, also with a zone; a MAC address.
  /^[0-9a-f.]*:[0-9a-f:.]*(?:[%/].*)?$/i,
  /^[^:\s]{1,2}(?::[^:\s]{1,2}){4,}$/,
  // A prefix length after a name; a negation that `;client=` does not have.
  /\/\d*$/,
  /^[!~:]/,
];
const CONTROL = /\p{Cc}/u;
const LETTER = /[\p{L}\p{N}]/u;

/** In lower case with colons; undefined when the text is no MAC address. */
export function macText(text: string): string | undefined {
  if (!MAC.test(text)) return undefined;
  const digits = text.toLowerCase().replaceAll(/[^0-9a-f]/g, '');
  return digits.match(/../g)?.join(':');
}

/** Undefined when the text is neither an address nor a range. */
export function clientRange(text: string): ClientRange | undefined {
  const [, written = text, bitsText] = RANGE.exec(text) ?? [];
  const bytes = written.includes('%') ? undefined : addressBytes(written);
  if (bytes === undefined) return undefined;
  const bits = Number(bitsText ?? bytes.length * 8);
  if (bits > bytes.length * 8) return undefined;
  const isIpv4 = bytes.length === 4;
  const address = isIpv4 ? Uint8Array.of(...mappedPrefix, ...bytes) : bytes;
  return { address, prefixBits: isIpv4 ? bits + mappedBits : bits };
}

/** What a word in its stored form stands for. */
export function kindOfWord(word: string): ClientWordKind {
  if (ID.test(word)) return 'id';
  if (clientRange(word) !== undefined) return 'range';
  if (MAC.test(word)) return 'mac';
  return word.startsWith(':') ? 'interface' : 'name';
}

/** The stored form of what a user wrote; undefined when it cannot be a client. */
export function clientWord(text: string): string | undefined {
  if (text.length > maxWordLength || CONTROL.test(text)) return undefined;
  const mac = macText(text);
  if (mac !== undefined) return mac;
  if (/^#?\d{1,15}$/.test(text)) return `#${Number(text.replace('#', ''))}`;
  const range = clientRange(text);
  if (range !== undefined) return rangeText(range);
  if (INTERFACE.test(text)) return text.toLowerCase();
  const isName = LETTER.test(text) && !MISTYPED.some((pattern) => pattern.test(text));
  return isName ? text.toLowerCase().replace(/\.$/, '') : undefined;
}

/** An id is written as a number. */
export function shownWord(word: string): string {
  return ID.test(word) ? word.slice(1) : word;
}

function rangeText({ address, prefixBits }: ClientRange): string {
  const masked = address.map((byte, at) => byte & (0xff << (8 - bitsOfByte(prefixBits, at))));
  const text = addressText(masked);
  const bits = isMappedIpv4(masked, 0) ? prefixBits - mappedBits : prefixBits;
  return prefixBits === addressBits ? text : `${text}/${bits}`;
}

function bitsOfByte(prefixBits: number, at: number): number {
  return Math.min(8, Math.max(0, prefixBits - at * 8));
}
