// Numbers by the clients that rules name: for one client, all numbers are found by looking up each of its
// names, and its address once for each length of ranges. After a change of rules every client is looked up
// again, so the time must not grow with the number of rules.

import { isMappedIpv4 } from '#wire';
import { clientRange } from '../rules/client-words.ts';

const mappedBits = 96;
const addressBytes = 16;

export class ClientIndex {
  readonly #byName = new Map<string, number[]>();
  /** By the bits that count, then by these bits of the address. */
  readonly #byRange = new Map<number, Map<string, number[]>>();
  readonly #masked = new Uint8Array(addressBytes);

  /** A word that is neither an address nor a range is a name. */
  add(word: string, number: number): void {
    const range = clientRange(word);
    if (range === undefined) return append(this.#byName, word, number);
    const { address, prefixBits } = range;
    const ranges = this.#byRange.get(prefixBits) ?? new Map<string, number[]>();
    this.#byRange.set(prefixBits, ranges);
    append(ranges, this.#key(address, prefixBits), number);
  }

  /** A number may be there more than once. */
  matching(address: Uint8Array, names: readonly string[]): number[] {
    const found: number[] = [];
    for (const name of names) found.push(...(this.#byName.get(name) ?? []));
    const isIpv4 = isMappedIpv4(address, 0);
    for (const [bits, ranges] of this.#byRange)
      // As in ClientTable: a short range such as ::/0 is IPv6 only.
      if (bits >= mappedBits || !isIpv4) found.push(...(ranges.get(this.#key(address, bits)) ?? []));
    return found;
  }

  #key(address: Uint8Array, bits: number): string {
    const masked = this.#masked;
    for (let at = 0; at < addressBytes; at++) {
      const kept = Math.min(8, Math.max(0, bits - at * 8));
      masked[at] = (address[at] ?? 0) & (0xff00 >> kept);
    }
    return Buffer.from(masked).toString('latin1');
  }
}

function append(map: Map<string, number[]>, key: string, number: number): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [number]);
  else known.push(number);
}
