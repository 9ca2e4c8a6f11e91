// Owner names of a response policy zone that stand for addresses in answers: the length of the prefix, then
// the address backwards, with `zz` for the longest run of zeros: 24.0.2.0.192 is 192.0.2.0/24, and
// 32.zz.db8.2001 is 2001:db8::/32.

import { addressBytes } from './address-text.ts';
import type { AddressRange } from './scanned-rule.ts';

/** undefined when the text is not such a name. */
export function rpzAddress(text: string): AddressRange | undefined {
  const [prefix = '', ...parts] = text.split('.');
  if (!/^\d{1,3}$/.test(prefix)) return undefined;
  const bytes = addressBytes(parts.reverse().join('.')) ?? addressBytes(ipv6Text(parts));
  const prefixBits = Number(prefix);
  return bytes === undefined || prefixBits > 8 * bytes.length ? undefined : { bytes, prefixBits };
}

function ipv6Text(parts: readonly string[]): string {
  return parts.join(':').replace(/(?:^|:)zz(?::|$)/, '::');
}
