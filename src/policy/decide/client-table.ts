// Finds the configured client of a query. The most specific trait decides: the name that the client sends,
// its address, its MAC address, its host name, the longest range that contains its address, the interface
// through which it is reached. Traits that are not known yet are skipped: the caller looks them up and asks
// again.

import { isMappedIpv4 } from '#wire';
import type { PolicyClient } from '../policy-client.ts';

export interface ClientRow {
  /** Of the configured client, for rules that name it by its id. */
  readonly id?: number | undefined;
  /** 16 bytes, IPv4 as ::ffff:a.b.c.d; undefined for a client that is identified by another trait. */
  readonly address: Uint8Array | undefined;
  /** Of the 16 bytes: 128 for one address, 96 + n for n bits of an IPv4 address. */
  readonly prefixBits: number;
  /** Six bytes in lower-case hexadecimal with colons. */
  readonly mac?: string | undefined;
  /** Without a dot it matches every host name whose first label is equal. */
  readonly hostName?: string | undefined;
  readonly interface?: string | undefined;
  /** Names that the client may send, and that `$client` may use. */
  readonly names: readonly string[];
  /** Further names for `$client`, chosen by people; the client cannot claim them. */
  readonly labels?: readonly string[] | undefined;
  readonly tags: readonly string[];
  /** The groups in force for it now, including schedules and pauses. */
  readonly groups: readonly number[];
  /** False while blocking is paused for this client. */
  readonly isBlocking: boolean;
  /** What may not be recorded of it, see `ClientPrivacy`; 0 by default. */
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

/** All names that a rule may use for the client, in lower case. */
export function namesOf(client: PolicyClient, { id, names, labels = [] }: ClientRow): readonly string[] {
  const { name, mac, hostName, interface: through } = client;
  const host = hostName === undefined ? undefined : hostKey(hostName);
  const port = through === undefined ? undefined : `:${through}`;
  const number = id === undefined ? undefined : `#${id}`;
  return [name, mac, host, host?.split('.', 1)[0], port, number, ...names, ...labels].flatMap((one) =>
    one === undefined ? [] : [one.toLowerCase()],
  );
}

function hostKey(name: string): string {
  return name.toLowerCase().replace(/\.$/u, '');
}

/** Of two rows with the same key the first one counts. */
function setOnce(map: Map<string, ClientRow>, key: string | undefined, row: ClientRow): void {
  if (key !== undefined && !map.has(key)) map.set(key, row);
}

function keyOf(address: Uint8Array): string {
  return Buffer.from(address).toString('latin1');
}

function isIn(address: Uint8Array, { address: range, prefixBits }: ClientRow): boolean {
  if (range === undefined) return false;
  // ::/0 and similar ranges are IPv6 only: that IPv4 addresses are stored as IPv6 is an internal matter.
  if (prefixBits < mappedBits && isMappedIpv4(address, 0)) return false;
  const whole = prefixBits >>> 3;
  for (let at = 0; at < whole; at++) if (address[at] !== range[at]) return false;
  const rest = prefixBits & 7;
  return rest === 0 || (((address[whole] ?? 0) ^ (range[whole] ?? 0)) & (0xff << (8 - rest)) & 0xff) === 0;
}
