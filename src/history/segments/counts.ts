// How often each value occurs, encoded as numbers in ascending order with their counts. They are stored in
// buckets of 4096 consecutive numbers after a table of the buckets' lengths, so that one count is found by
// decoding one bucket, and lists of many days can be added up range by range in little memory.

import { ByteReader, ByteWriter } from './byte-stream.ts';

const bucketBits = 12;
const bucketSize = 1 << bucketBits;

export interface Counted {
  /** Ascending. */
  readonly ids: Uint32Array;
  readonly counts: Float64Array;
}

const tableSize = 65_536;
const table = new Float64Array(tableSize);

/** Counts the first `length` values. */
export function countValues(values: Uint32Array, length: number): Counted {
  let most = 0;
  for (let i = 0; i < length; i++) most = Math.max(most, values[i] ?? 0);
  // Filling a table much longer than the values takes longer than sorting them.
  const isSmall = most < Math.min(tableSize, 1024 + 8 * length);
  return isSmall ? countSmall(values, length, most) : countLarge(values, length);
}

function countSmall(values: Uint32Array, length: number, most: number): Counted {
  table.fill(0, 0, most + 1);
  let distinct = 0;
  for (let i = 0; i < length; i++) {
    const value = values[i] ?? 0;
    const count = table[value] ?? 0;
    if (count === 0) distinct++;
    table[value] = count + 1;
  }
  const ids = new Uint32Array(distinct);
  const counts = new Float64Array(distinct);
  for (let value = 0, at = 0; at < distinct; value++) {
    const count = table[value] ?? 0;
    if (count === 0) continue;
    ids[at] = value;
    counts[at++] = count;
  }
  return { ids, counts };
}

function countLarge(values: Uint32Array, length: number): Counted {
  const ids = values.slice(0, length).sort();
  const counts = new Float64Array(length);
  let distinct = 0;
  for (let i = 0; i < length; i++) {
    const value = ids[i] ?? 0;
    if (distinct === 0 || ids[distinct - 1] !== value) ids[distinct++] = value;
    counts[distinct - 1] = (counts[distinct - 1] ?? 0) + 1;
  }
  return { ids: ids.slice(0, distinct), counts: counts.slice(0, distinct) };
}

const bodies = new ByteWriter();
const writer = new ByteWriter();

export function encodeCounts({ ids, counts }: Counted): Uint8Array {
  const heads: number[] = [];
  let last = 0;
  let bucket = -1;
  let from = 0;
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] ?? 0;
    if (id >>> bucketBits !== bucket) {
      if (bucket >= 0) heads.push(bodies.length - from);
      heads.push((id >>> bucketBits) - bucket - 1);
      bucket = id >>> bucketBits;
      from = bodies.length;
      last = bucket * bucketSize;
    }
    bodies.number(id - last);
    bodies.number(counts[i] ?? 0);
    last = id;
  }
  if (bucket >= 0) heads.push(bodies.length - from);
  writer.number(heads.length / 2);
  for (const head of heads) writer.number(head);
  writer.raw(bodies.finish());
  return writer.finish();
}

/** Iterates over an encoded list bucket by bucket. */
export class CountsCursor {
  readonly #bytes: Uint8Array;
  readonly #heads: ByteReader;
  #left: number;
  #at: number;
  #length = 0;
  /** -1 at the end of the list. */
  bucket = -1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#heads = new ByteReader(bytes);
    this.#left = this.#heads.number();
    const scout = new ByteReader(bytes, this.#heads.at);
    for (let i = 0; i < 2 * this.#left; i++) scout.number();
    this.#at = scout.at;
    this.next();
  }

  get firstId(): number {
    return this.bucket * bucketSize;
  }

  next(): void {
    this.#at += this.#length;
    const before = this.bucket;
    this.bucket = this.#left > 0 ? before + 1 + this.#heads.number() : -1;
    this.#length = this.#left-- > 0 ? this.#heads.number() : 0;
  }

  /** Adds each count of the bucket to `sums`, whose first entry stands for the number `firstId`. */
  addTo(sums: Float64Array, firstId: number): void {
    const bytes = this.#bytes;
    const end = this.#at + this.#length;
    let at = this.#at;
    let place = this.firstId - firstId;
    while (at < end) {
      let byte = bytes[at++] ?? 0;
      // Within a bucket, the distance to the next number takes at most two bytes.
      place += byte < 128 ? byte : byte - 128 + ((bytes[at++] ?? 0) << 7);
      byte = bytes[at++] ?? 0;
      let count = byte & 0x7f;
      for (let scale = 128; byte >= 128; scale *= 128) {
        byte = bytes[at++] ?? 0;
        count += (byte & 0x7f) * scale;
      }
      sums[place] = (sums[place] ?? 0) + count;
    }
  }

  /** Calls `visit` for each number of the bucket. */
  each(visit: (id: number, count: number) => void): void {
    const reader = new ByteReader(this.#bytes, this.#at);
    const end = this.#at + this.#length;
    let id = this.firstId;
    while (reader.at < end) visit((id += reader.number()), reader.number());
  }
}

export function eachCount(bytes: Uint8Array, visit: (id: number, count: number) => void): void {
  for (const cursor = new CountsCursor(bytes); cursor.bucket >= 0; cursor.next()) cursor.each(visit);
}

/** The count of one number; 0 when the list does not contain it. */
export function countOf(bytes: Uint8Array, id: number): number {
  const cursor = new CountsCursor(bytes);
  while (cursor.bucket >= 0 && cursor.bucket < id >>> bucketBits) cursor.next();
  if (cursor.bucket !== id >>> bucketBits) return 0;
  let found = 0;
  cursor.each((other, count) => {
    if (other === id) found = count;
  });
  return found;
}
