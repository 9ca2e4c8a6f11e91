// One answered query in the words of the API, read from the record that a dns worker leaves behind. The
// engine says where an answer came from and which kind of rule spoke; the API's statuses mix the two.

import type { RecordReader, RecordWord } from '#engine';
import { nameToText, typeText } from '#wire';
import { addressText } from '../clients/address-text.ts';

export interface QueryRow {
  /** Unix time in seconds. */
  readonly time: number;
  readonly type: string;
  readonly domain: string;
  readonly client: { readonly ip: string };
  readonly status: string;
  readonly reply: { readonly type: string; readonly time: number };
  /** The list whose rule spoke. */
  readonly list_id: number | null;
}

/** Where things stand in a record; the engine says it, and is loaded late. */
export type RecordLayout = typeof RecordWord;

/** By the number of the origin; blocked by its name (6) or by what it leads to (7) goes by the rule. */
const statuses: Readonly<Record<number, string>> = {
  1: 'FORWARDED',
  2: 'CACHE',
  3: 'CACHE_STALE',
  4: 'CACHE',
  5: 'SPECIAL_DOMAIN',
  6: 'GRAVITY',
  7: 'GRAVITY_CNAME',
  // The record does not say how the upstream told that it blocks; the null address is how most do.
  8: 'EXTERNAL_BLOCKED_NULL',
};
const byTargetOrigin = 7;
const ruleStatuses: Readonly<Record<number, string>> = { 2: 'DENYLIST', 3: 'REGEX' };

const replies =
  'UNKNOWN NODATA NXDOMAIN CNAME IP DOMAIN RRNAME SERVFAIL REFUSED NOTIMP OTHER DNSSEC NONE BLOB'.split(' ');

/** `how`: the word of the record, with the origin in its lowest byte and the reason in bits 12 to 15. */
export const statusText = (how: number): string => {
  const origin = how & 0xff;
  const isBlocked = origin === 6 || origin === byTargetOrigin;
  const byRule = isBlocked ? ruleStatuses[(how >>> 12) & 0xf] : undefined;
  if (byRule === undefined) return statuses[origin] ?? 'UNKNOWN';
  return origin === byTargetOrigin ? `${byRule}_CNAME` : byRule;
};

export const readQueryRow = (
  { words, doubles, bytes }: RecordReader,
  at: number,
  word: RecordLayout,
): QueryRow => {
  const field = (place: number): number => words[(at >> 2) + place] ?? 0;
  const sizes = field(word.sizes);
  const listId = field(word.listId);
  // Behind the last field, which is an address.
  const nameAt = at + 4 * (word.address + 4);
  return {
    time: (doubles[(at >> 3) + word.time] ?? 0) / 1000,
    type: typeText(field(word.typeAndRcode) & 0xffff),
    // Cut off, so that it ends with the record whatever stands behind it.
    domain: nameToText(bytes.slice(nameAt, nameAt + (sizes & 0xff))),
    client: { ip: clientText(words, (at >> 2) + word.client) },
    status: statusText(field(word.how)),
    reply: { type: replies[(sizes >>> 16) & 0xff] ?? 'OTHER', time: field(word.durationUs) / 1_000_000 },
    list_id: listId > 0 ? listId : null,
  };
};

const clientText = (words: Int32Array, at: number): string => {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < 4; i++) view.setInt32(i * 4, words[at + i] ?? 0);
  return addressText(bytes);
};
