// Which configured client somebody is: by the name it gives itself, then by its address, then by the longest
// range that its address is in. MAC addresses, host names and interfaces are addresses by the time they come
// here: whoever knows the neighbours and asks for names makes rows of them.

import type { PolicyClient } from '../policy.ts';

export interface ClientRow {
  /** 16 bytes, IPv4 as ::ffff:a.b.c.d; undefined for a client that is known by its name only. */
  readonly address: Uint8Array | undefined;
  /** Of the 16 bytes: 128 for one address, 96 + n for n bits of an IPv4 address. */
  readonly prefixBits: number;
  /** What it may call itself, and what `$client` may call it. */
  readonly names: readonly string[];
  readonly tags: readonly string[];
  /** The groups in force for it now, schedules and pauses taken into account. */
  readonly groups: readonly number[];
  /** False while blocking is paused for this very client. */
  readonly isBlocking: boolean;
}

const wholeAddressBits = 128;

export class ClientTable {
  readonly #byName = new Map<string, ClientRow>();
  readonly #byAddress = new Map<string, ClientRow>();
  readonly #ranges: ClientRow[];

  constructor(rows: readonly ClientRow[]) {
    for (const row of rows) {
      for (const name of row.names) setOnce(this.#byName, name.toLowerCase(), row);
      if (row.address !== undefined && row.prefixBits >= wholeAddressBits)
        setOnce(this.#byAddress, keyOf(row.address), row);
    }
    this.#ranges = rows
      .filter((row) => row.address !== undefined && row.prefixBits < wholeAddressBits)
      .toSorted((a, b) => b.prefixBits - a.prefixBits);
  }

  find({ address, name }: PolicyClient): ClientRow | undefined {
    const byName = name === undefined ? undefined : this.#byName.get(name.toLowerCase());
    return byName ?? this.#byAddress.get(keyOf(address)) ?? this.#ranges.find((row) => isIn(address, row));
  }
}

/** Of two rows for the same the first one holds. */
function setOnce(map: Map<string, ClientRow>, key: string, row: ClientRow): void {
  if (!map.has(key)) map.set(key, row);
}

const keyOf = (address: Uint8Array): string => Buffer.from(address).toString('latin1');

function isIn(address: Uint8Array, { address: range, prefixBits }: ClientRow): boolean {
  if (range === undefined) return false;
  const whole = prefixBits >>> 3;
  for (let at = 0; at < whole; at++) if (address[at] !== range[at]) return false;
  const rest = prefixBits & 7;
  return rest === 0 || (((address[whole] ?? 0) ^ (range[whole] ?? 0)) & (0xff << (8 - rest)) & 0xff) === 0;
}
