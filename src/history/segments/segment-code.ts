// A closed block as one blob: each column is encoded separately after a table of their lengths, so that only
// the needed columns are decoded. Times and ids are stored as differences from row to row.

import { ByteReader, ByteWriter } from './byte-stream.ts';
import { readColumn, compress, decompress, writeColumn } from './column-code.ts';
import { Column, rowBytes, type ColumnNumber, type Rows } from './rows.ts';

const bodyVersion = 1;
const twoTo32 = 4_294_967_296;
/** Parts that are not plain columns. */
const Extra = { ids: -1, times: -2, timesHigh: -3 } as const;
type Part = ColumnNumber | (typeof Extra)[keyof typeof Extra];

/**
 * Parts that are compressed together: small fields share a frame, because opening one costs more than they
 * do.
 */
const groups: readonly (readonly Part[])[] = [
  [
    Extra.ids,
    Extra.timesHigh,
    Column.upstream,
    Column.type,
    Column.status,
    Column.reply,
    Column.dnssec,
    Column.rule,
    Column.list,
    Column.rcode,
    Column.ede,
    Column.cname,
  ],
  [Extra.times],
  [Column.name],
  [Column.client],
  [Column.durationUs],
];

const writer = new ByteWriter();
const groupWriter = new ByteWriter();
const partWriter = new ByteWriter();

export function encodeRows(rows: Rows): Uint8Array {
  writer.number(bodyVersion);
  writer.number(rows.length);
  writer.number(rows.firstId);
  writer.double(rows.minMs);
  const { steps, high } = timeSteps(rows);
  const valuesOf = (part: Part): Uint32Array => {
    if (part === Extra.ids) return idSteps(rows);
    if (part === Extra.times) return steps;
    return part === Extra.timesHigh ? high : rows.column(part).subarray(0, rows.length);
  };
  for (const group of groups) {
    for (const part of group) {
      writeColumn(partWriter, valuesOf(part), part === Extra.times || part === Column.durationUs);
      groupWriter.sizedBytes(partWriter.finish());
    }
    const plain = groupWriter.finish();
    writer.number(plain.length);
    writer.sizedBytes(compress(plain));
  }
  return writer.finish();
}

/** All ones, unless rows were left out. */
function idSteps(rows: Rows): Uint32Array {
  const steps = new Uint32Array(rows.length);
  let last = rows.firstId - 1;
  for (let row = 0; row < rows.length; row++) {
    steps[row] = rows.idAt(row) - last;
    last = rows.idAt(row);
  }
  return steps;
}

/** Differences modulo 2^32, small in either direction; the excess of a broken clock is stored separately. */
function timeSteps(rows: Rows): { readonly steps: Uint32Array; readonly high: Uint32Array } {
  const times = rows.times();
  const steps = new Uint32Array(rows.length);
  const high = new Uint32Array(rows.length);
  let last = 0;
  for (let row = 0; row < rows.length; row++) {
    const offset = (times[row] ?? 0) - rows.minMs;
    const low = (offset % twoTo32) | 0;
    const step = (low - last) | 0;
    steps[row] = (step << 1) ^ (step >> 31);
    high[row] = Math.floor(offset / twoTo32);
    last = low;
  }
  return { steps, high };
}

/** Memory for the columns of a segment that is read once; the next segment reuses it. */
export class SegmentMemory {
  readonly #columns = new Map<Part, Uint32Array>();
  #times = new Float64Array(0);

  column(part: Part, rows: number): Uint32Array {
    const known = this.#columns.get(part);
    if (known !== undefined && known.length >= rows) return known;
    const made = new Uint32Array(rows);
    this.#columns.set(part, made);
    return made;
  }

  times(rows: number): Float64Array {
    if (this.#times.length < rows) this.#times = new Float64Array(rows);
    return this.#times;
  }
}

export class SegmentRows implements Rows {
  readonly length: number;
  readonly firstId: number;
  readonly minMs: number;
  readonly maxMs: number;
  readonly lastId: number;
  readonly #groups: { readonly size: number; readonly coded: Uint8Array }[] = [];
  readonly #memory: SegmentMemory;
  /** The encoded parts of the groups that were opened. */
  readonly #parts = new Map<Part, Uint8Array>();
  readonly #decoded: (Uint32Array | undefined)[] = [];
  #times: Float64Array | undefined;
  #ids: Float64Array | undefined;

  /** With memory that other segments use too, these rows are valid only until the next one is read. */
  constructor(body: Uint8Array, lastId: number, maxMs: number, memory = new SegmentMemory()) {
    this.#memory = memory;
    const reader = new ByteReader(body);
    const version = reader.number();
    if (version !== bodyVersion) throw new RangeError(`a segment of the unknown version ${version}`);
    this.length = reader.number();
    this.firstId = reader.number();
    this.minMs = reader.double();
    this.lastId = lastId;
    this.maxMs = maxMs;
    while (!reader.isAtEnd) this.#groups.push({ size: reader.number(), coded: reader.sizedBytes() });
  }

  /** As if everything were decoded, so that memory never exceeds the accounted size. */
  get sizeBytes(): number {
    return this.length * rowBytes;
  }

  idAt(row: number): number {
    // Most segments have all their rows.
    if (this.lastId - this.firstId + 1 === this.length) return this.firstId + row;
    this.#ids ??= this.#readIds();
    return this.#ids[row] ?? 0;
  }

  column(column: ColumnNumber): Uint32Array {
    return (this.#decoded[column] ??= this.#part(column));
  }

  times(): Float64Array {
    return (this.#times ??= this.#readTimes());
  }

  #part(part: Part): Uint32Array {
    if (!this.#parts.has(part)) this.#open(groups.findIndex((group) => group.includes(part)));
    const coded = this.#parts.get(part);
    if (coded === undefined) throw new RangeError(`a segment without its part ${part}`);
    this.#parts.delete(part);
    const values = this.#memory.column(part, this.length);
    readColumn(new ByteReader(coded), this.length, values);
    return values;
  }

  #open(index: number): void {
    const group = this.#groups[index];
    if (group === undefined) throw new RangeError(`a segment without its group ${index}`);
    const reader = new ByteReader(decompress(group.coded, group.size));
    for (const part of groups[index] ?? []) this.#parts.set(part, reader.sizedBytes());
  }

  #readIds(): Float64Array {
    const ids = new Float64Array(this.length);
    let last = this.firstId - 1;
    const steps = this.#part(Extra.ids);
    for (let row = 0; row < this.length; row++) ids[row] = last += steps[row] ?? 0;
    return ids;
  }

  #readTimes(): Float64Array {
    const times = this.#memory.times(this.length);
    const steps = this.#part(Extra.times);
    const high = this.#part(Extra.timesHigh);
    let low = 0;
    for (let row = 0; row < this.length; row++) {
      const step = steps[row] ?? 0;
      low = (low + ((step >>> 1) ^ -(step & 1))) | 0;
      times[row] = this.minMs + (low >>> 0) + (high[row] ?? 0) * twoTo32;
    }
    return times;
  }
}
