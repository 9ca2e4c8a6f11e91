// Reads records from a ring into the open block. Names and clients become numbers through a cache of hashes,
// so that most records need no text. Texts that the journal does not have yet are collected for it.

import { RecordFlag, recordHeaderBytes, RecordWord, type RecordReader } from '#engine';
import { ipv4Text, ipv6Text, nameToText, skipName } from '#wire';
import type { Dictionary } from './dictionary.ts';
import type { Dictionaries } from './filter.ts';
import { hiddenClient, hiddenName } from './hidden.ts';
import { IdCache } from './id-cache.ts';
import type { Entry } from './journal.ts';
import { countsUpstream, edeOf, refinedStatus, replyOf } from './row-mapping.ts';
import { Column, RowFields, type Block } from './rows.ts';
import type { Unlogged } from './unlogged.ts';

/** Kinds of entries in a journal. */
export const Kind = { name: 0, client: 1, upstream: 2 } as const;

const nameCacheBits = 19;
const clientCacheBits = 14;
const mapped = 0xffff;

/** What may be stored: 0 all, 1 no name, 2 no client either, 3 only a count, 4 nothing. */
export type PrivacyLevel = 0 | 1 | 2 | 3 | 4;
const onlyCounted = 3;
const leftOut = 4;
/** The privacy level of a record; the level of the client's groups applies in addition. */
export type PrivacyOf = (reader: RecordReader, at: number) => PrivacyLevel;
const allMayBeKept: PrivacyOf = () => 0;

export interface RecordOptions {
  /** Indexed by the numbers that this ring's worker uses. */
  readonly upstreams: readonly string[];
  readonly privacyOf?: PrivacyOf;
}

export class Intake {
  readonly #texts: Dictionaries;
  readonly #unlogged: Unlogged;
  readonly #names = new IdCache(nameCacheBits);
  readonly #clients = new IdCache(clientCacheBits);
  readonly #seeds: readonly [number, number];
  readonly #fields = new RowFields();
  readonly #address = new Uint8Array(16);
  /** Upstreams and the placeholders for hidden texts, with the journal that has each of them. */
  readonly #few = new Map<string, { readonly id: number; journal: number }>();
  #entries: Entry[] = [];
  #hash = 0;
  #second = 0;

  /** `unlogged` receives the queries that are only counted. */
  constructor(texts: Dictionaries, unlogged: Unlogged, seeds: readonly [number, number]) {
    this.#texts = texts;
    this.#unlogged = unlogged;
    this.#seeds = seeds;
  }

  /** Texts that the journal does not have yet. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Clears the cache, because names were deleted. */
  forgetNames(): void {
    this.#names.clear();
    this.#few.clear();
  }

  forgetClients(): void {
    this.#clients.clear();
    this.#few.clear();
  }

  /** The entries were written, or the block was closed: the next journal collects its entries anew. */
  forgetEntries(): void {
    this.#entries = [];
  }

  readRecords(
    reader: RecordReader,
    most: number,
    block: Block,
    journal: number,
    options: RecordOptions,
  ): number {
    const privacyOf = options.privacyOf ?? allMayBeKept;
    return reader.read(most, (at) => {
      const flags = reader.words[(at >> 2) + RecordWord.typeAndRcode] ?? 0;
      const level = Math.max(privacyOf(reader, at), (flags >>> RecordFlag.privacyShift) & 3);
      if (level === leftOut) return;
      if (level === onlyCounted) return this.#count(reader, at, options.upstreams);
      this.#read(reader, at, level, journal, options.upstreams);
      block.add(this.#fields);
    });
  }

  /** Counts a record without adding its texts to the journal. */
  #count(reader: RecordReader, at: number, upstreams: readonly string[]): void {
    const word = at >> 2;
    const status = this.#readSmall(reader, at);
    this.#readRule(reader.words, word, onlyCounted);
    const how = reader.words[word + RecordWord.how] ?? 0;
    this.#unlogged.add(this.#fields, countsUpstream(status) ? (upstreams[(how >>> 16) - 1] ?? '') : '');
  }

  /** Reads the fields that are the same at every level; returns the status. */
  #readSmall({ words, doubles }: RecordReader, at: number): number {
    const { values } = this.#fields;
    const word = at >> 2;
    const typeAndRcode = words[word + RecordWord.typeAndRcode] ?? 0;
    const sizes = words[word + RecordWord.sizes] ?? 0;
    const rcode = (typeAndRcode >>> 16) & 0xfff;
    const status = refinedStatus(words[word + RecordWord.how] ?? 0, rcode);
    this.#fields.timeMs = Math.floor(doubles[at >> 3] ?? 0);
    values[Column.type] = typeAndRcode & 0xffff;
    values[Column.status] = status;
    values[Column.reply] = replyOf((sizes >>> 16) & 0xf);
    values[Column.dnssec] = (sizes >>> 12) & 0xf;
    values[Column.rcode] = rcode;
    values[Column.ede] = edeOf(sizes);
    return status;
  }

  #read(
    reader: RecordReader,
    at: number,
    level: number,
    journal: number,
    upstreams: readonly string[],
  ): void {
    const { words } = reader;
    const { values } = this.#fields;
    const word = at >> 2;
    const how = words[word + RecordWord.how] ?? 0;
    const typeAndRcode = words[word + RecordWord.typeAndRcode] ?? 0;
    const sizes = words[word + RecordWord.sizes] ?? 0;
    const status = this.#readSmall(reader, at);
    values[Column.name] =
      level >= 1
        ? this.#hidden(Kind.name, journal)
        : this.#name(reader, at + recordHeaderBytes, sizes & 0xff, journal);
    values[Column.client] =
      level >= 2 ? this.#hidden(Kind.client, journal) : this.#client(words, word, journal);
    values[Column.upstream] = countsUpstream(status)
      ? this.#upstream(upstreams[(how >>> 16) - 1], journal)
      : 0;
    const hasTarget = (typeAndRcode & RecordFlag.hasTarget) !== 0 && level === 0;
    values[Column.cname] = hasTarget ? this.#target(reader, at, sizes & 0xff, journal) : 0;
    this.#readRule(words, word, level);
  }

  /** The second name of a record, which follows the first. */
  #target(reader: RecordReader, at: number, nameLength: number, journal: number): number {
    const from = at + recordHeaderBytes + ((nameLength + 3) & ~3);
    const end = skipName(reader.bytes, from, reader.bytes.length);
    return end < 0 ? 0 : this.#name(reader, from, end - from, journal);
  }

  #readRule(words: Int32Array, word: number, level: number): void {
    const { values } = this.#fields;
    // Most custom rules match a single name: the id of the rule would reveal the hidden name.
    values[Column.rule] = level >= 1 ? 0 : (words[word + RecordWord.ruleId] ?? 0);
    values[Column.list] = words[word + RecordWord.listId] ?? 0;
    values[Column.durationUs] = Math.max(words[word + RecordWord.durationUs] ?? 0, 0);
  }

  /** Two hashes of `count` words. */
  #hashWords(words: Int32Array, from: number, count: number): void {
    let hash = this.#seeds[0];
    let second = this.#seeds[1];
    for (let i = 0; i < count; i++) {
      const word = words[from + i] ?? 0;
      hash = Math.imul(hash ^ word, 0x2c1b3c6d);
      hash = (hash << 15) | (hash >>> 17);
      second = Math.imul(second ^ word, 0x297a2d39);
      second = (second << 13) | (second >>> 19);
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    this.#hash = hash ^ (hash >>> 13);
    this.#second = second ^ (second >>> 16);
  }

  /** `at` is where the name begins. */
  #name(reader: RecordReader, at: number, length: number, journal: number): number {
    this.#hashWords(reader.words, at >> 2, (length + 3) >> 2);
    const known = this.#names.find(this.#hash, this.#second);
    if (known !== 0 && !this.#names.isNewTo(journal)) return known;
    const text = nameToText(reader.bytes.slice(at, at + length));
    const id = known === 0 ? this.#texts.names.idOf(text) : known;
    if (known === 0) this.#note(this.#names, id, journal);
    this.#entries.push({ kind: Kind.name, id, text });
    return id;
  }

  #note(cache: IdCache, id: number, journal: number): void {
    cache.put(this.#hash, this.#second, id);
    cache.isNewTo(journal);
  }

  #client(words: Int32Array, word: number, journal: number): number {
    const at = word + RecordWord.client;
    this.#hashWords(words, at, 4);
    const known = this.#clients.find(this.#hash, this.#second);
    if (known !== 0 && !this.#clients.isNewTo(journal)) return known;
    const text = this.#addressText(words, at);
    const id = known === 0 ? this.#texts.clients.idOf(text) : known;
    if (known === 0) this.#note(this.#clients, id, journal);
    this.#entries.push({ kind: Kind.client, id, text });
    return id;
  }

  #addressText(words: Int32Array, at: number): string {
    const bytes = this.#address;
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < 4; i++) view.setInt32(4 * i, words[at + i] ?? 0);
    const isMapped = words[at] === 0 && words[at + 1] === 0 && words[at + 2] === mapped;
    return isMapped ? ipv4Text(bytes, 12) : ipv6Text(bytes, 0);
  }

  #upstream(text: string | undefined, journal: number): number {
    return text === undefined || text === '' ? 0 : this.#fixed(Kind.upstream, text, journal);
  }

  #hidden(kind: number, journal: number): number {
    return this.#fixed(kind, kind === Kind.name ? hiddenName : hiddenClient, journal);
  }

  /** The number of one of a few texts that need no cache of hashes. */
  #fixed(kind: number, text: string, journal: number): number {
    const key = `${kind} ${text}`;
    let known = this.#few.get(key);
    if (known?.journal === journal) return known.id;
    known ??= { id: this.#dictionary(kind).idOf(text), journal };
    known.journal = journal;
    this.#few.set(key, known);
    this.#entries.push({ kind, id: known.id, text });
    return known.id;
  }

  #dictionary(kind: number): Dictionary {
    if (kind === Kind.name) return this.#texts.names;
    return kind === Kind.client ? this.#texts.clients : this.#texts.upstreams;
  }
}
