// Records in the form of zone files, from and to the objects of `dns-packet`, which is not our codec and so
// shows when ours is wrong. Types it does not know are written as `\# hex` (RFC 3597 section 5).

import type { Answer } from 'dns-packet';

export type Shape = Readonly<Record<string, unknown>>;

/** Types that dns-packet does not know by name, or whose data we write ourselves. */
const numbers: Readonly<Record<string, number>> = { SVCB: 64, HTTPS: 65 };
const names: Readonly<Record<string, string>> = { UNKNOWN_64: 'SVCB', UNKNOWN_65: 'HTTPS' };

/** The name of a type as dns-packet wants it. */
export const packetType = (type: string): string =>
  numbers[type] === undefined ? type.replace(/^TYPE(?=\d)/u, 'UNKNOWN_') : `UNKNOWN_${numbers[type]}`;

const usualType = (type: string): string => names[type] ?? type.replace('UNKNOWN_', 'TYPE');

/** Without the dot at the end; the root stays. */
export const plainName = (name: string): string => (name === '.' ? name : name.replace(/\.$/u, ''));

/** `NAME TTL TYPE DATA...` */
export function parseRecord(line: string): Answer {
  const [name = '', ttl = '', type = '', ...words] = line.trim().split(/\s+/u);
  if (!/^\d+$/u.test(ttl)) throw new Error(`a record is "NAME TTL TYPE DATA", not "${line.trim()}"`);
  const record = {
    name: plainName(name),
    ttl: Number(ttl),
    type: packetType(type),
    data: dataOf(type, words),
  };
  // dns-packet accepts raw data for any type, but its type declarations do not.
  return record as unknown as Answer;
}

const number = (word: string | undefined): number => Number(word);
const hex = (word: string | undefined): Buffer => Buffer.from(word ?? '', 'hex');

const readers: Readonly<Record<string, (words: readonly string[]) => unknown>> = {
  MX: ([preference, exchange = '']) => ({ preference: number(preference), exchange: plainName(exchange) }),
  SRV: ([priority, weight, port, target = '']) => ({
    priority: number(priority),
    weight: number(weight),
    port: number(port),
    target: plainName(target),
  }),
  SOA: ([mname = '', rname = '', serial, refresh, retry, expire, minimum]) => ({
    mname: plainName(mname),
    rname: plainName(rname),
    serial: number(serial),
    refresh: number(refresh),
    retry: number(retry),
    expire: number(expire),
    minimum: number(minimum),
  }),
  TXT: (words) => Array.from(words.join(' ').matchAll(/"([^"]*)"/gu), ([, text]) => text),
  NSEC: ([nextDomain = '', ...rrtypes]) => ({ nextDomain: plainName(nextDomain), rrtypes }),
  DS: ([keyTag, algorithm, digestType, digest]) => ({
    keyTag: number(keyTag),
    algorithm: number(algorithm),
    digestType: number(digestType),
    digest: hex(digest),
  }),
  RRSIG: ([
    typeCovered,
    algorithm,
    labels,
    originalTTL,
    expiration,
    inception,
    keyTag,
    signer = '',
    sig,
  ]) => ({
    typeCovered,
    algorithm: number(algorithm),
    labels: number(labels),
    originalTTL: number(originalTTL),
    expiration: number(expiration),
    inception: number(inception),
    keyTag: number(keyTag),
    signersName: plainName(signer),
    signature: hex(sig),
  }),
};

function dataOf(type: string, words: readonly string[]): unknown {
  if (words[0] === '\\#') return hex(words.slice(1).join(''));
  return readers[type]?.(words) ?? plainName(words.join(' '));
}

/** The same form back; names in lower case, because their case means nothing in a record. */
export function recordText(record: Shape): string {
  const type = usualType(String(record['type']));
  return `${name(record['name'])} ${String(record['ttl'])} ${type} ${dataText(record['data'])}`.trim();
}

const name = (value: unknown): string => plainName(String(value)).toLowerCase();

function dataText(data: unknown): string {
  if (Buffer.isBuffer(data)) return `\\# ${data.toString('hex')}`;
  if (Array.isArray(data)) return data.map((text) => `"${String(text)}"`).join(' ');
  if (typeof data !== 'object' || data === null) return plainName(String(data)).toLowerCase();
  return Object.values(data).map(fieldText).join(' ');
}

const fieldText = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString('hex') : name(value));
