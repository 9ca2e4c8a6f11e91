// Builds a snapshot from rules. Rules arrive one by one from the scanner, list after list; names are hashed
// and not kept. The table grows in its own memory, so that building takes hardly more than the result, and
// the buffer of an earlier snapshot that is not used any more can be passed in to be filled again: two
// buffers take turns.

import { getRandomValues } from 'node:crypto';
import type { RuleSink, ScannedRule } from '../rules/scanned-rule.ts';
import { CellTable, cellsFor, wordsOf } from './cell-table.ts';
import { checksum } from './checksum.ts';
import {
  Flag,
  format,
  Head,
  headerWords,
  keyWords,
  magic,
  maxBytes,
  maxSources,
  Reach,
  tailCells,
} from './layout.ts';
import { fillFilter, filterWordsFor } from './name-filter.ts';
import { RareRules, type Meta, type SourceCounts } from './rare-rules.ts';
import { RuleRows } from './rule-rows.ts';
import { Snapshot } from './snapshot.ts';
import { SuffixHasher } from './suffix-hash.ts';

export interface BuilderOptions {
  /** Four words; random by default. */
  readonly key?: Int32Array;
  /** The buffer of a snapshot that is not used any more: it is overwritten, and grows only if necessary. */
  readonly buffer?: SharedArrayBuffer | undefined;
  /** Avoids growing; a wrong estimate costs nothing else. */
  readonly expectedNames?: number;
  /** The limit for growing a new buffer. */
  readonly maxBytes?: number;
}

interface Source {
  readonly id: number;
  entries: number;
  duplicates: number;
  refused: number;
}

/** Below this fill level the table is rearranged at the end. */
const emptiest = 0.7;
const minExpected = 256;
/** Sets of rows may take 1/n of the buffer, so that there is room for names. */
const setsShare = 2;

export class SnapshotBuilder {
  readonly #hasher: SuffixHasher;
  readonly #table: CellTable;
  readonly #rows: RuleRows;
  readonly #rare = new RareRules();
  readonly #sources: Source[] = [];

  constructor(options: BuilderOptions = {}) {
    const { key = getRandomValues(new Int32Array(keyWords)), buffer } = options;
    const { expectedNames } = options;
    const cells = expectedNames === undefined ? cellsIn(buffer) : cellsFor(expectedNames);
    const bytes = wordsOf(cells) * 4;
    const most = Math.max(bytes, options.maxBytes ?? maxBytes);
    const fits = buffer !== undefined && buffer.growable && buffer.maxByteLength >= bytes;
    this.#hasher = new SuffixHasher(key);
    this.#table = new CellTable(fits ? buffer : new SharedArrayBuffer(bytes, { maxByteLength: most }), cells);
    this.#rows = new RuleRows(this.#table.buffer.maxByteLength / 4 / setsShare);
  }

  get names(): number {
    return this.#table.names;
  }

  /** Receives the rules of one list; a list may come in several parts, and several lists at once. */
  list(id: number): RuleSink {
    const source = this.addSource(id);
    return { onRule: (rule) => this.add(source, rule) };
  }

  /** A list, or an own rule. Returns the number for `add`. */
  addSource(id: number): number {
    if (this.#sources.length >= maxSources) throw new RangeError('too many lists or rules for one snapshot');
    return this.#sources.push({ id, entries: 0, duplicates: 0, refused: 0 }) - 1;
  }

  add(source: number, rule: Readonly<ScannedRule>): void {
    const counts = this.#sources[source];
    if (counts === undefined) throw new RangeError(`no source has the number ${source}`);
    counts.entries++;
    const options = rule.options === undefined ? 0 : this.#rare.optionsNumber(rule.options);
    const row = options < 0 ? -1 : this.#rows.rowOf(source, flagsOf(rule), options);
    const outcome = row < 0 ? -1 : this.#place(row, rule);
    if (outcome === 0) counts.duplicates++;
    else if (outcome < 0) counts.refused++;
  }

  /**
   * Adds the only rule of a source that the caller keeps track of: nothing is stored here to find its row
   * again or to count it. 1: new; 0: already there; -1: refused.
   */
  addOnly(source: number, rule: Readonly<ScannedRule>): number {
    if (source >= maxSources) return -1;
    const options = rule.options === undefined ? 0 : this.#rare.optionsNumber(rule.options);
    const row = options < 0 ? -1 : this.#rows.newRow(source, flagsOf(rule), options);
    return row < 0 ? -1 : this.#place(row, rule);
  }

  /** 1: new; 0: already there; -1: refused. */
  #place(row: number, rule: Readonly<ScannedRule>): number {
    const { low, high } = this.#hasher;
    if (rule.nameLength > 1) {
      const last = this.#hasher.hash(rule.name, rule.nameLength) - 1;
      return this.#put(low[last] ?? 0, high[last] ?? 0, row);
    }
    if (rule.pattern !== undefined) return this.#rare.addPattern(row, rule.pattern, rule.line);
    if (rule.address === undefined) return -1;
    const { bytes, prefixBits } = rule.address;
    this.#rare.addPrefix(rule.address);
    this.#hasher.hashAddress(bytes, 0, bytes.length, prefixBits);
    return this.#put(low[0] ?? 0, high[0] ?? 0, row);
  }

  #put(low: number, high: number, row: number): number {
    const table = this.#table;
    const value = table.find(low, high);
    if (value === 0) return table.put(low, high, row + 1) ? 1 : -1;
    const union = this.#rows.union(value, row);
    if (union < 0) return -1;
    if (union === value) return 0;
    table.replace(union);
    return 1;
  }

  counts(): SourceCounts[] {
    return this.#sources.map((source) => ({ ...source }));
  }

  /**
   * The complete snapshot, which any thread can open; undefined when the buffer cannot hold it. Once per
   * builder.
   */
  finish(): SharedArrayBuffer | undefined {
    const words = this.#write(new TextEncoder().encode(JSON.stringify(this.#meta())));
    if (words === undefined) return undefined;
    checksum(words, words.length, words.subarray(Head.checksum));
    return this.#table.buffer;
  }

  /** For use in this thread only: omits what other threads would need to open it. */
  finishHere(): Snapshot | undefined {
    const words = this.#write(new Uint8Array(0));
    return words === undefined ? undefined : new Snapshot(this.#table.buffer, words, this.#meta());
  }

  #meta(): Meta {
    const { options, conditional, patterns, prefixes } = this.#rare;
    return { sources: this.counts(), options, conditional, patterns, prefixes };
  }

  #write(meta: Uint8Array): Int32Array | undefined {
    this.#trim();
    const { buffer, cells, names } = this.#table;
    const rows = this.#rows.words;
    const { sets } = this.#rows;
    const filterAt = wordsOf(cells);
    const rowsAt = filterAt + filterWordsFor(names);
    const setsAt = rowsAt + rows.length;
    const metaAt = setsAt + sets.length;
    const usedWords = metaAt + Math.ceil(meta.length / 4);
    if (usedWords * 4 > buffer.maxByteLength) return undefined;
    if (usedWords * 4 > buffer.byteLength) buffer.grow(usedWords * 4);
    const words = new Int32Array(buffer, 0, usedWords);
    fillFilter(words.subarray(0, filterAt), words.subarray(filterAt, rowsAt));
    words.set(rows, rowsAt);
    words.set(sets, setsAt);
    words.fill(0, metaAt);
    new Uint8Array(buffer, metaAt * 4, meta.length).set(meta);
    words.fill(0, 0, headerWords);
    const head: readonly (readonly [number, number])[] = [
      [Head.magic, magic],
      [Head.format, format],
      [Head.cells, cells],
      [Head.tail, tailCells],
      [Head.names, names],
      [Head.filterAt, filterAt],
      [Head.filterWords, rowsAt - filterAt],
      [Head.rowsAt, rowsAt],
      [Head.rows, this.#rows.count],
      [Head.setsAt, setsAt],
      [Head.setWords, sets.length],
      [Head.metaAt, metaAt],
      [Head.metaBytes, meta.length],
      [Head.usedWords, usedWords],
    ];
    for (const [at, word] of head) words[at] = word;
    words.set(this.#hasher.key, Head.key);
    return words;
  }

  #trim(): void {
    const table = this.#table;
    const cells = cellsFor(table.names);
    if (table.names < table.cells * emptiest && cells < table.cells) table.layOut(cells);
  }
}

/** The size of an earlier snapshot is the best estimate. */
function cellsIn(buffer: SharedArrayBuffer | undefined): number {
  if (buffer === undefined || buffer.byteLength < headerWords * 4) return cellsFor(minExpected);
  const head = new Int32Array(buffer, 0, headerWords);
  const cells = head[Head.cells] ?? 0;
  const isSnapshot = head[Head.magic] === magic && head[Head.format] === format;
  return isSnapshot && wordsOf(cells) * 4 <= buffer.byteLength ? cells : cellsFor(minExpected);
}

function flagsOf(rule: Readonly<ScannedRule>): number {
  return (
    reachOf(rule) |
    (rule.action === 'allow' ? Flag.allow : 0) |
    (rule.isImportant ? Flag.important : 0) |
    (rule.options !== undefined && rule.options.isBadfilter ? Flag.badfilter : 0)
  );
}

/** A range of addresses contains all addresses below it. */
function reachOf({ reach, address }: Readonly<ScannedRule>): number {
  if (reach === 'below' || address !== undefined) return Reach.below;
  return reach === 'exact' ? Reach.exact : Reach.onlyBelow;
}
