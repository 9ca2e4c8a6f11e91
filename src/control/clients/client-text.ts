// Parses the text that identifies a client: an address, a range (CIDR), a MAC address, a host name or
// `:interface`. Every notation has one canonical form, so that a client cannot be stored twice and texts can
// be compared.

import { formatIpv4Tail, formatIpv6Groups, isIpv4Mapped, isIpv4Text, parseIpv6Text } from '#contract';
import { macText } from '#policy';
import { canonicalDomain } from './domain-text.ts';

export type ClientText = ClientRange | ClientName;

/** One address, or a range of them. */
interface ClientRange {
  readonly kind: 'address' | 'range';
  readonly text: string;
  /** Eight words of 16 bits, IPv4 as ::ffff:a.b.c.d; bits after the prefix are 0. */
  readonly words: readonly number[];
  /** 128 for one address, 96 + n for n bits of an IPv4 address. */
  readonly prefixBits: number;
}

interface ClientName {
  readonly kind: 'mac' | 'host' | 'interface';
  /** MAC addresses in lower case with colons, hosts as A-labels, interfaces with their colon. */
  readonly text: string;
}

const addressBits = 128;
const mappedBits = 96;
/** As in Linux (dev_valid_name): 15 bytes, no slash, colon or blank, not "." or "..". */
const interfacePattern = /^:(?!\.{1,2}$)[^\s/:\p{Cc}]{1,15}$/u;
const rangePattern = /^([^/]+)\/(0|[1-9]\d{0,2})$/;

/** Undefined when the text is invalid. */
export function readClient(text: string): ClientText | undefined {
  const mac = macText(text);
  if (mac !== undefined) return { kind: 'mac', text: mac };
  if (interfacePattern.test(text)) return isShort(text) ? { kind: 'interface', text } : undefined;
  return readRange(text) ?? readHost(text);
}

/** The canonical form for lookups in the table; an invalid text is returned unchanged. */
export function storedClient(text: string): string {
  return readClient(text)?.text ?? text;
}

function isShort(name: string): boolean {
  return Buffer.byteLength(name) <= 16;
}

function readRange(text: string): ClientRange | undefined {
  const [, address = text, bitsText] = rangePattern.exec(text) ?? [];
  const isIpv4 = isIpv4Text(address);
  const words = parseIpv6Text(isIpv4 ? `::ffff:${address}` : address);
  const bits = bitsText === undefined ? undefined : Number(bitsText) + (isIpv4 ? mappedBits : 0);
  const prefixBits = bits ?? addressBits;
  if (words === undefined || prefixBits > addressBits) return undefined;
  return rangeOf(
    words.map((word, index) => masked(word, prefixBits - index * 16)),
    prefixBits,
  );
}

function rangeOf(words: readonly number[], prefixBits: number): ClientRange {
  const isIpv4 = isIpv4Mapped(words) && prefixBits >= mappedBits;
  const address = isIpv4 ? formatIpv4Tail(words) : formatIpv6Groups(words);
  if (prefixBits === addressBits) return { kind: 'address', text: address, words, prefixBits };
  const shownBits = isIpv4 ? prefixBits - mappedBits : prefixBits;
  return { kind: 'range', text: `${address}/${shownBits}`, words, prefixBits };
}

/** Keeps the first `bits` of 16 bits. */
function masked(word: number, bits: number): number {
  return word & (0xffff << (16 - Math.min(16, Math.max(0, bits)))) & 0xffff;
}

/** A name whose last label is a number is a mistyped address, such as 10.1 or 1.2.3.400. */
function readHost(text: string): ClientName | undefined {
  const host = canonicalDomain(text);
  return host === undefined || /(?:^|\.)\d+$/.test(host) ? undefined : { kind: 'host', text: host };
}
