// The names of reverse lookups: `4.3.2.1.in-addr.arpa` for an address (RFC 1035 section 3.5, RFC 3596 section
// 2.5), and the zones that make up a network whose prefix does not end at a label.

import { parseNetwork } from '../net/networks.ts';

const ipv4Zone = 'in-addr.arpa';
const ipv6Zone = 'ip6.arpa';

/** `bytes`: 4 or 16. */
export function reverseName(bytes: Uint8Array): string {
  return bytes.length === 4
    ? `${labels(octets(bytes))}.${ipv4Zone}`
    : `${labels(nibbles(bytes))}.${ipv6Zone}`;
}

/** The zones that together are the network; none when the text is no network. */
export function reverseZones(text: string): readonly string[] {
  const network = parseNetwork(text);
  if (network === undefined) return [];
  const bytes = new Uint8Array(16);
  network.address.writeTo(bytes, 0);
  return network.address.isIpv4
    ? zones(octets(bytes.subarray(12)), 256, network.prefix - 96, 8, ipv4Zone)
    : zones(nibbles(bytes), 16, network.prefix, 4, ipv6Zone);
}

function octets(bytes: Uint8Array): readonly string[] {
  return Array.from(bytes, String);
}

function nibbles(bytes: Uint8Array): readonly string[] {
  return Array.from(bytes).flatMap((byte) => [(byte >> 4).toString(16), (byte & 0xf).toString(16)]);
}

function labels(digits: readonly string[]): string {
  return digits.toReversed().join('.');
}

/** A prefix inside a label stands for several labels: 172.16.0.0/12 is 16.172 to 31.172. */
function zones(
  digits: readonly string[],
  base: number,
  prefix: number,
  bitsPerLabel: number,
  zone: string,
): readonly string[] {
  const whole = Math.floor(prefix / bitsPerLabel);
  const fixed = digits.slice(0, whole);
  const bits = prefix % bitsPerLabel;
  const name = (digitsOfZone: readonly string[]): string =>
    digitsOfZone.length === 0 ? zone : `${labels(digitsOfZone)}.${zone}`;
  if (bits === 0) return [name(fixed)];
  const count = 1 << (bitsPerLabel - bits);
  const radix = base === 16 ? 16 : 10;
  const first = Number.parseInt(digits[whole] ?? '0', radix) & ~(count - 1);
  return Array.from({ length: count }, (_, i) => name([...fixed, (first + i).toString(radix)]));
}
