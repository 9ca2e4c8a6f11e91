// Which configured client somebody is. The most specific says: the name it gives itself, its address, its
// MAC address, its host name, the longest range that its address is in, the interface it is reached by. What
// is not known of it yet is passed over: somebody else finds it out, and asks again.

import type { PolicyClient } from '../policy-client.ts';

export interface ClientRow {
  /** 16 bytes, IPv4 as ::ffff:a.b.c.d; undefined for a client that is known by something else. */
  readonly address: Uint8Array | undefined;
  /** Of the 16 bytes: 128 for one address, 96 + n for n bits of an IPv4 address. */
  readonly prefixBits: number;
  /** Six bytes in lower-case hexadecimal with colons. */
  readonly mac?: string | undefined;
  /** Without a dot it stands for every host name that begins with it as a label. */
  readonly hostName?: string | undefined;
  readonly interface?: string | undefined;
  /** What it may call itself, and what `$client` may call it. */
  readonly names: readonly string[];
  /** What `$client` may call it besides: words of people, which it cannot claim for itself. */
  readonly labels?: readonly string[] | undefined;
  readonly tags: readonly string[];
  /** The groups in force for it now, schedules and pauses taken into account. */
  readonly groups: readonly number[];
  /** False while blocking is paused for this very client. */
  readonly isBlocking: boolean;
  /** What may not be remembered of it, see `ClientPrivacy`; 0 when it is not said. */
  readonly privacy?: number | undefined;
}

const wholeAddressBits = 128;
const mappedBits = 96;

export class ClientTable {
  readonly #byName = new Map<string, ClientRow>();
  readonly #byAddress = new Map<string, ClientRow>();
  readonly #byMac = new Map<string, ClientRow>();
  readonly #byHostName = new Map<string, ClientRow>();
  readonly #byInterface = new Map<string, ClientRow>();
  readonly #ranges: ClientRow[];

  constructor(rows: readonly ClientRow[]) {
    for (const row of rows) this.#add(row);
    this.#ranges = rows
      .filter((row) => row.address !== undefined && row.prefixBits < wholeAddressBits)
      .toSorted((a, b) => b.prefixBits - a.prefixBits);
  }

  find(client: PolicyClient): ClientRow | undefined {
    const { address, name, mac } = client;
    return (
      (name === undefined ? undefined : this.#byName.get(name.toLowerCase())) ??
      this.#byAddress.get(keyOf(address)) ??
      (mac === undefined ? undefined : this.#byMac.get(mac)) ??
      this.#findHost(client.hostName) ??
      this.#ranges.find((row) => isIn(address, row)) ??
      (client.interface === undefined ? undefined : this.#byInterface.get(client.interface))
    );
  }

  #add(row: ClientRow): void {
    for (const name of row.names) setOnce(this.#byName, name.toLowerCase(), row);
    if (row.address !== undefined && row.prefixBits >= wholeAddressBits)
      setOnce(this.#byAddress, keyOf(row.address), row);
    setOnce(this.#byMac, row.mac, row);
    setOnce(this.#byHostName, row.hostName === undefined ? undefined : hostKey(row.hostName), row);
    setOnce(this.#byInterface, row.interface, row);
  }

  /** The whole name first; then its first label, which is what people call a device at home. */
  #findHost(hostName: string | undefined): ClientRow | undefined {
    if (hostName === undefined || this.#byHostName.size === 0) return undefined;
    const whole = hostKey(hostName);
    return this.#byHostName.get(whole) ?? this.#byHostName.get(whole.split('.', 1)[0] ?? whole);
  }
}

/** All that a rule may call the client, in lower case. */
export function namesOf(client: PolicyClient, { names, labels = [] }: ClientRow): readonly string[] {
  const { name, mac, hostName } = client;
  const host = hostName === undefined ? undefined : hostKey(hostName);
  return [name, mac, host, host?.split('.', 1)[0], ...names, ...labels].flatMap((one) =>
    one === undefined ? [] : [one.toLowerCase()],
  );
}

function hostKey(name: string): string {
  return name.toLowerCase().replace(/\.$/u, '');
}

/** Of two rows for the same the first one holds. */
function setOnce(map: Map<string, ClientRow>, key: string | undefined, row: ClientRow): void {
  if (key !== undefined && !map.has(key)) map.set(key, row);
}

function keyOf(address: Uint8Array): string {
  return Buffer.from(address).toString('latin1');
}

function isIn(address: Uint8Array, { address: range, prefixBits }: ClientRow): boolean {
  if (range === undefined) return false;
  // ::/0 and its like are ranges of IPv6: that IPv4 addresses are kept within IPv6 is our own affair.
  if (prefixBits < mappedBits && isMapped(address)) return false;
  const whole = prefixBits >>> 3;
  for (let at = 0; at < whole; at++) if (address[at] !== range[at]) return false;
  const rest = prefixBits & 7;
  return rest === 0 || (((address[whole] ?? 0) ^ (range[whole] ?? 0)) & (0xff << (8 - rest)) & 0xff) === 0;
}

/** ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2). */
export function isMapped(address: Uint8Array): boolean {
  for (let at = 0; at < 12; at++) if (address[at] !== (at < 10 ? 0 : 0xff)) return false;
  return true;
}
