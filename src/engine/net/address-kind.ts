// What kind of place an address leads to: the internet, a private network, or this machine and its link. One
// table for the protection from rebinding, which sees addresses as bytes of a packet, and for the fetching of
// lists. An IPv6 address that stands for an IPv4 address, or is carried over one, is at least as near as that
// address is.

import { u16, u32 } from '#wire';

/** Nearer places have greater numbers. */
export const AddressKind = {
  public: 0,
  /** Assigned to protocols and benchmarks, or led over a translator or a relay: not quite the internet. */
  special: 1,
  /** Multicast, broadcast and what is reserved: no place of one machine. */
  reserved: 2,
  /** RFC 1918, shared (RFC 6598), unique-local and the old site-local addresses. */
  private: 3,
  /**
   * Loopback, link-local, and "this host" (RFC 1122 section 3.2.1.3), which reaches the machine that
   * connects.
   */
  local: 4,
} as const;

const none = -1;
const several = -2;
/** The first four bytes of 64:ff9b::/32 and of 2001::/32. */
const nat64 = 0x0064_ff9b;
const teredo = 0x2001_0000;

/** `length` is 4 or 16. */
export function addressKind(bytes: Uint8Array, at: number, length: number): number {
  if (length === 4) return ipv4KindAt(bytes, at);
  const first = bytes[at] ?? 0;
  if (first === 0 || first === 0x20) return embeddingKind(bytes, at);
  return first < 0xfc ? AddressKind.public : highKind(first, bytes[at + 1] ?? 0);
}

/** 192.0.0.0/24, for protocols (RFC 6890), is the only range that the third byte says something about. */
const byThird = 0xff;
type Range = readonly [
  firstFrom: number,
  firstTo: number,
  secondFrom: number,
  secondTo: number,
  kind: number,
];
const ipv4Ranges: readonly Range[] = [
  [0, 0, 0, 255, AddressKind.local],
  [10, 10, 0, 255, AddressKind.private],
  [100, 100, 64, 127, AddressKind.private],
  [127, 127, 0, 255, AddressKind.local],
  [169, 169, 254, 254, AddressKind.local],
  [172, 172, 16, 31, AddressKind.private],
  [192, 192, 168, 168, AddressKind.private],
  [192, 192, 0, 0, byThird],
  // Benchmarks (RFC 2544).
  [198, 198, 18, 19, AddressKind.special],
  [224, 255, 0, 255, AddressKind.reserved],
];
/** By the first byte: which 256 of the kinds are those of the second one. The first 256 are all public. */
const rows = new Uint8Array(256);
const kinds = new Uint8Array(256 * (ipv4Ranges.length + 1));
for (const [index, [firstFrom, firstTo, secondFrom, secondTo, kind]] of ipv4Ranges.entries()) {
  const row = rows[firstFrom] || index + 1;
  rows.fill(row, firstFrom, firstTo + 1);
  kinds.fill(kind, row * 256 + secondFrom, row * 256 + secondTo + 1);
}

function ipv4KindAt(bytes: Uint8Array, at: number): number {
  return ipv4Kind(bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0);
}

function ipv4Kind(first: number, second: number, third: number): number {
  const kind = kinds[((rows[first] ?? 0) << 8) | second] ?? 0;
  if (kind !== byThird) return kind;
  return third === 0 ? AddressKind.special : AddressKind.public;
}

/** fc00::/7, fe80::/10, fec0::/10 and ff00::/8. */
function highKind(first: number, second: number): number {
  if (first === 0xff) return AddressKind.reserved;
  if (first < 0xfe) return AddressKind.private;
  const next = second & 0xc0;
  if (next === 0x80) return AddressKind.local;
  return next === 0xc0 ? AddressKind.private : AddressKind.public;
}

/** Of what begins with 00 or 20: as near as what it stands for or is carried over. */
function embeddingKind(bytes: Uint8Array, at: number): number {
  const place = ipv4Place(bytes, at);
  if (place === none) return AddressKind.public;
  return place === several ? nearestKind(bytes, at) : ipv4KindAt(bytes, at + place);
}

function nearestKind(bytes: Uint8Array, at: number): number {
  let kind: number = AddressKind.special;
  for (let nth = 0; ; nth += 1) {
    const ipv4 = embeddedIpv4(bytes, at, nth);
    if (ipv4 === none) return kind;
    kind = Math.max(kind, ipv4Kind(ipv4 >>> 24, (ipv4 >>> 16) & 0xff, (ipv4 >>> 8) & 0xff));
  }
}

/** An IPv4 address in an IPv6 address, as a number; some forms have several. -1: there are no more. */
export function embeddedIpv4(bytes: Uint8Array, at: number, nth: number): number {
  const place = ipv4Place(bytes, at);
  if (place === several)
    return u32(bytes, at) === teredo ? teredoIpv4(bytes, at, nth) : localNat64Ipv4(bytes, at, nth);
  return place === none || nth > 0 ? none : u32(bytes, at + place);
}

/** Where the IPv4 address stands in a form that has one; `several`, or `none` in other addresses. */
function ipv4Place(bytes: Uint8Array, at: number): number {
  const head = u32(bytes, at);
  if (head === 0) return standsForIpv4(bytes, at) ? 12 : none;
  if (head === nat64) return nat64Place(bytes, at);
  if (head === teredo) return several;
  // 6to4 (RFC 3056).
  return head >>> 16 === 0x2002 ? 2 : none;
}

/**
 * ::a.b.c.d, which :: and ::1 belong to, ::ffff:a.b.c.d (RFC 4291 section 2.5.5) and ::ffff:0:a.b.c.d, which
 * is IPv4-translated (RFC 2765 section 2.1).
 */
function standsForIpv4(bytes: Uint8Array, at: number): boolean {
  const word = u32(bytes, at + 8);
  return u32(bytes, at + 4) === 0 && (word === 0 || word === 0xffff || word === 0xffff_0000);
}

/** Teredo (RFC 4380 section 4): the server's address, and the client's with all its bits turned over. */
function teredoIpv4(bytes: Uint8Array, at: number, nth: number): number {
  if (nth === 0) return u32(bytes, at + 4);
  return nth === 1 ? ~u32(bytes, at + 12) >>> 0 : none;
}

/** 64:ff9b::/96 (RFC 6052 section 2.1), and 64:ff9b:1::/48 for local use (RFC 8215). */
function nat64Place(bytes: Uint8Array, at: number): number {
  if (u16(bytes, at + 4) === 1) return several;
  return u32(bytes, at + 4) === 0 && u32(bytes, at + 8) === 0 ? 12 : none;
}

/** Behind how many bytes the IPv4 address may begin. */
const localNat64Places = [6, 7, 9, 12] as const;

/**
 * How much of the /48 a network takes for its prefix says where the IPv4 address stands (RFC 6052 section
 * 2.2): behind 48, 56, 64 or 96 bits, without the ninth byte.
 */
function localNat64Ipv4(bytes: Uint8Array, at: number, nth: number): number {
  let left = nth;
  for (const place of localNat64Places) {
    if (!mayStandAt(bytes, at, place)) continue;
    if (left === 0) return ipv4Around(bytes, at, place);
    left -= 1;
  }
  return none;
}

/** Behind the address there are zeros. What ends with zeros is one of the shorter forms, unless all are. */
function mayStandAt(bytes: Uint8Array, at: number, place: number): boolean {
  if (place === 12) return !isZero(bytes, at + 13, at + 16) || isZero(bytes, at + 6, at + 12);
  const end = place < 8 ? place + 5 : place + 4;
  return (bytes[at + place] ?? 0) !== 0 && isZero(bytes, at + end, at + 16);
}

/** The four bytes from this place on, without the ninth byte of the address. */
function ipv4Around(bytes: Uint8Array, at: number, place: number): number {
  let ipv4 = 0;
  for (let index = 0; index < 4; index += 1) {
    const skipped = place < 8 && place + index >= 8 ? 1 : 0;
    ipv4 = ((ipv4 << 8) | (bytes[at + place + index + skipped] ?? 0)) >>> 0;
  }
  return ipv4;
}

export function isZero(bytes: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (bytes[at] !== 0) return false;
  return true;
}
