// A closed block as one blob: each column coded by itself behind a table of their lengths, so that reading a
// segment decodes no column that nobody asked for. Times and ids are kept as steps from row to row.

import { ByteReader, ByteWriter } from './byte-stream.ts';
import { decodeColumn, encodeColumn } from './column-code.ts';
import { Column, columnNumbers, rowBytes, type ColumnNumber, type Rows } from './rows.ts';

const bodyVersion = 1;
const twoTo32 = 4_294_967_296;
/** Places of the coded pieces that are no plain columns. */
const Piece = { ids: 0, times: 1, timesHigh: 2, columns: 3 } as const;

export function encodeRows(rows: Rows): Uint8Array {
  const { length } = rows;
  const writer = new ByteWriter();
  writer.number(bodyVersion);
  writer.number(length);
  writer.number(rows.firstId);
  writer.double(rows.minMs);
  writer.piece(encodeColumn(idSteps(rows), false));
  const { steps, high } = timeSteps(rows);
  writer.piece(encodeColumn(steps, true));
  writer.piece(encodeColumn(high, false));
  for (const column of columnNumbers)
    writer.piece(encodeColumn(rows.column(column).subarray(0, length), column === Column.durationUs));
  return writer.taken();
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

/** Steps modulo 2^32, the small ones small whichever way they go; what a broken clock is beyond goes apart. */
function timeSteps(rows: Rows): { readonly steps: Uint32Array; readonly high: Uint32Array } {
  const times = rows.times();
  const steps = new Uint32Array(rows.length);
  const high = new Uint32Array(rows.length);
  let last = 0;
  for (let row = 0; row < rows.length; row++) {
    const offset = (times[row] ?? 0) - rows.minMs;
    const low = offset % twoTo32 | 0;
    const step = (low - last) | 0;
    steps[row] = (step << 1) ^ (step >> 31);
    high[row] = Math.floor(offset / twoTo32);
    last = low;
  }
  return { steps, high };
}

export class SegmentRows implements Rows {
  readonly length: number;
  readonly firstId: number;
  readonly minMs: number;
  readonly maxMs: number;
  readonly lastId: number;
  readonly #pieces: Uint8Array[] = [];
  readonly #decoded: (Uint32Array | undefined)[] = [];
  #times: Float64Array | undefined;
  #ids: Float64Array | undefined;

  constructor(body: Uint8Array, lastId: number, maxMs: number) {
    const reader = new ByteReader(body);
    const version = reader.number();
    if (version !== bodyVersion) throw new RangeError(`a segment of the unknown version ${version}`);
    this.length = reader.number();
    this.firstId = reader.number();
    this.minMs = reader.double();
    this.lastId = lastId;
    this.maxMs = maxMs;
    while (!reader.isAtEnd) this.#pieces.push(reader.piece());
  }

  /** As if everything were decoded, so that what is kept never outgrows what was reckoned. */
  get sizeBytes(): number {
    return this.length * rowBytes;
  }

  idAt(row: number): number {
    // Nothing is left out of most segments.
    if (this.lastId - this.firstId + 1 === this.length) return this.firstId + row;
    this.#ids ??= this.#readIds();
    return this.#ids[row] ?? 0;
  }

  column(column: ColumnNumber): Uint32Array {
    return (this.#decoded[column] ??= this.#piece(Piece.columns + column));
  }

  times(): Float64Array {
    return (this.#times ??= this.#readTimes());
  }

  #piece(index: number): Uint32Array {
    const piece = this.#pieces[index];
    if (piece === undefined) throw new RangeError(`a segment without its column ${index}`);
    return decodeColumn(piece, this.length);
  }

  #readIds(): Float64Array {
    const ids = new Float64Array(this.length);
    let last = this.firstId - 1;
    const steps = this.#piece(Piece.ids);
    for (let row = 0; row < ids.length; row++) ids[row] = last += steps[row] ?? 0;
    return ids;
  }

  #readTimes(): Float64Array {
    const times = new Float64Array(this.length);
    const steps = this.#piece(Piece.times);
    const high = this.#piece(Piece.timesHigh);
    let low = 0;
    for (let row = 0; row < times.length; row++) {
      const step = steps[row] ?? 0;
      low = (low + ((step >>> 1) ^ -(step & 1))) | 0;
      times[row] = this.minMs + (low >>> 0) + (high[row] ?? 0) * twoTo32;
    }
    return times;
  }
}
