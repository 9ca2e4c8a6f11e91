// The reverse names of a network (RFC 1035 section 3.5, RFC 3596 section 2.5): one suffix where the prefix
// ends at a label, else the few labels that lie inside it, so that a network of any length is only suffixes.

import { isIP } from 'node:net';

/** Names without a final dot; empty when the text is no network. `10.0.0.0/8`, `fd00::/7`, `192.0.2.1`. */
export const reverseNames = (network: string): readonly string[] => {
  const [address = '', lengthText] = network.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return [];
  const bits = family === 4 ? 32 : 128;
  const length = lengthText === undefined ? bits : Number(lengthText);
  if (lengthText !== undefined && (!/^\d{1,3}$/.test(lengthText) || length > bits)) return [];
  return family === 4
    ? suffixes(ipv4Labels(address), 8, length, 10, 'in-addr.arpa')
    : suffixes(ipv6Labels(address), 4, length, 16, 'ip6.arpa');
};

const suffixes = (
  labels: readonly number[],
  bitsPerLabel: number,
  length: number,
  radix: number,
  zone: string,
): string[] => {
  const whole = Math.floor(length / bitsPerLabel);
  const loose = length % bitsPerLabel;
  const fixed = labels.slice(0, whole).map((label) => label.toString(radix));
  const nameOf = (parts: readonly string[]): string => [...parts.toReversed(), zone].join('.');
  if (loose === 0) return [nameOf(fixed)];
  const span = 2 ** (bitsPerLabel - loose);
  const first = Math.floor((labels[whole] ?? 0) / span) * span;
  return Array.from({ length: span }, (_, step) => nameOf([...fixed, (first + step).toString(radix)]));
};

const ipv4Labels = (address: string): number[] => address.split('.').map(Number);

const ipv6Labels = (address: string): number[] => {
  const hex = withHexTail(address);
  const [head = '', tail] = hex.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: gap }, () => '0'), ...right];
  return groups.flatMap((group) => [...group.padStart(4, '0')].map((nibble) => Number.parseInt(nibble, 16)));
};

/** `::ffff:192.0.2.1` ends in an IPv4 address. */
const withHexTail = (address: string): string => {
  const at = address.lastIndexOf(':') + 1;
  if (!address.includes('.')) return address;
  const [a = 0, b = 0, c = 0, d = 0] = ipv4Labels(address.slice(at));
  return `${address.slice(0, at)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};
