// The one parser of IP addresses in text, IPv4 at the end of an IPv6 address included (RFC 4291 section 2.2).
// As strict as the one that the contract has for browsers: no leading zeros, which inet_aton reads as octal.
// It reads character by character without an allocation, because node:dgram gives the sender of a datagram as
// text, once per wake-up.

const dot = 0x2e;
const colon = 0x3a;
const none = -1;

/** False when the text is no IPv4 address; the bytes are then half written. */
export function writeIpv4(out: Uint8Array, at: number, text: string): boolean {
  return writeDotted(out, at, text, 0);
}

/** A zone is to be cut off before. False when the text is no IPv6 address. */
export function writeIpv6(out: Uint8Array, at: number, text: string): boolean {
  out.fill(0, at, at + 16);
  const gap = text.indexOf('::');
  if (gap < 0) return writeGroups(out, at, 16, text, 0, text.length) === 16;
  const before = writeGroups(out, at, 14, text, 0, gap);
  if (before < 0) return false;
  const behind = writeGroups(out, at + before, 14 - before, text, gap + 2, text.length);
  if (behind < 0) return false;
  const end = at + 16;
  out.copyWithin(end - behind, at + before, at + before + behind);
  out.fill(0, at + before, end - behind);
  return true;
}

/** Groups between colons, the last one perhaps as IPv4: how many bytes they made, -1 when one is wrong. */
function writeGroups(
  out: Uint8Array,
  at: number,
  room: number,
  text: string,
  from: number,
  to: number,
): number {
  let written = 0;
  for (let position = from; position < to;) {
    const end = groupEnd(text, position, to);
    if (end < to && text.charCodeAt(end) === dot) {
      return written + 4 <= room && writeDotted(out, at + written, text, position) ? written + 4 : none;
    }
    const group = hexValue(text, position, end);
    if (group < 0 || written + 2 > room || end === to - 1) return none;
    out[at + written] = group >>> 8;
    out[at + written + 1] = group;
    written += 2;
    position = end + 1;
  }
  return written;
}

/** 4 or 16 bytes; `undefined` for a text that is no address. The zone of an IPv6 address is left out. */
export function ipBytes(text: string): Uint8Array | undefined {
  if (!text.includes(':')) {
    const bytes = new Uint8Array(4);
    return writeIpv4(bytes, 0, text) ? bytes : undefined;
  }
  const zone = text.indexOf('%');
  const bytes = new Uint8Array(16);
  return writeIpv6(bytes, 0, zone < 0 ? text : text.slice(0, zone)) ? bytes : undefined;
}

function groupEnd(text: string, from: number, to: number): number {
  let end = from;
  while (end < to && text.charCodeAt(end) !== colon && text.charCodeAt(end) !== dot) end += 1;
  return end;
}

/** -1 when this is no group of one to four hexadecimal digits. */
function hexValue(text: string, from: number, to: number): number {
  if (to === from || to - from > 4) return none;
  let value = 0;
  for (let index = from; index < to; index += 1) {
    const digit = hexDigit(text.charCodeAt(index));
    if (digit < 0) return none;
    value = value * 16 + digit;
  }
  return value;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : none;
}

function writeDotted(out: Uint8Array, at: number, text: string, from: number): boolean {
  let part = 0;
  let digits = 0;
  let value = 0;
  for (let index = from; index <= text.length; index += 1) {
    const code = index === text.length ? dot : text.charCodeAt(index);
    if (code === dot) {
      if (digits === 0 || value > 255 || part === 4) return false;
      out[at + part] = value;
      part += 1;
      digits = 0;
      value = 0;
    } else {
      if (!isDigit(code) || digits === 3 || isLeadingZero(digits, value)) return false;
      value = value * 10 + code - 0x30;
      digits += 1;
    }
  }
  return part === 4;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isLeadingZero(digits: number, value: number): boolean {
  return digits === 1 && value === 0;
}
