// Local records from the text of the settings, in the forms that existing clients of the API write:
// `IP host [host...]` and `cname[,cname...],target[,TTL]`. A name that begins with `*.` stands for everything
// below, and the most specific name wins. Addresses bring their reverse lookup along.

import { ipBytes, nameFromText } from '#wire';
import { noRecords, type LocalName } from './local-name.ts';
import { reverseName } from './reverse-names.ts';

export interface LocalRecordOptions {
  readonly hosts: readonly string[];
  readonly cnameRecords: readonly string[];
  readonly ttlSeconds: number;
}

/** Names in text form, `*.` in front of wildcards, and what they stand for. */
export type LocalRecords = ReadonlyMap<string, LocalName>;

export function readLocalRecords({ hosts, cnameRecords, ttlSeconds }: LocalRecordOptions): LocalRecords {
  const records = new Map<string, LocalName>();
  for (const line of hosts) addHosts(records, line, ttlSeconds);
  for (const line of cnameRecords) addAliases(records, line, ttlSeconds);
  return records;
}

function addHosts(records: Map<string, LocalName>, line: string, ttlSeconds: number): void {
  const [address = '', ...names] = withoutComment(line).split(/\s+/u);
  const bytes = ipBytes(address);
  if (bytes === undefined) return;
  for (const name of names) addAddress(known(records, name, ttlSeconds), records, name, bytes);
  const first = names.find((name) => !name.startsWith('*.'));
  const pointer = first === undefined ? undefined : nameFromText(first.toLowerCase());
  if (pointer === undefined) return;
  const reverse = reverseName(bytes);
  const before = known(records, reverse, ttlSeconds);
  records.set(reverse, { ...before, pointers: [...before.pointers, pointer] });
}

function withoutComment(line: string): string {
  return (line.split('#', 1)[0] ?? '').trim();
}

function addAddress(
  before: LocalName,
  records: Map<string, LocalName>,
  name: string,
  bytes: Uint8Array,
): void {
  const ipv4 = bytes.length === 4 ? [...before.ipv4, bytes] : before.ipv4;
  const ipv6 = bytes.length === 16 ? [...before.ipv6, bytes] : before.ipv6;
  records.set(keyOf(name), { ...before, ipv4, ipv6 });
}

function addAliases(records: Map<string, LocalName>, line: string, defaultTtlSeconds: number): void {
  const parts = line.split(',').map((part) => part.trim());
  const last = parts.at(-1) ?? '';
  const ttlSeconds = /^\d+$/u.test(last) && parts.length > 2 ? Number(last) : defaultTtlSeconds;
  const names = /^\d+$/u.test(last) && parts.length > 2 ? parts.slice(0, -1) : parts;
  const target = nameFromText((names.at(-1) ?? '').toLowerCase());
  if (target === undefined || names.length < 2) return;
  for (const name of names.slice(0, -1))
    records.set(keyOf(name), { ...known(records, name, ttlSeconds), target, ttlSeconds });
}

function keyOf(name: string): string {
  return name.toLowerCase().replace(/\.$/u, '');
}

function known(records: ReadonlyMap<string, LocalName>, name: string, ttlSeconds: number): LocalName {
  return records.get(keyOf(name)) ?? { ...noRecords, ttlSeconds };
}
