// Encodes one column of numbers: as a single number when all rows have the same, as a sorted dictionary with
// an index for each row, or as the plain numbers. Indexes and numbers are stored in planes (all low bytes,
// then all second bytes), because zstd compresses runs of similar bytes well and decoding is a plain loop.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { ByteReader, ByteWriter } from './byte-stream.ts';

const Form = { same: 0, dictionary: 1, plain: 2 } as const;
const level = 3;
const minChunkBytes = 64;
/** A larger dictionary saves no space. */
const maxDistinct = 65_536;
const smallValues = 65_536;
const table = new Uint32Array(smallValues);
const compression = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 };

/** Compressed with a checksum: decompressing damaged bytes throws. */
export function compress(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, { params: compression });
}
/** `size` is the decompressed size, so that exactly one buffer of that size is allocated. */
export function decompress(bytes: Uint8Array, size: number): Uint8Array {
  return zstdDecompressSync(bytes, { chunkSize: Math.max(size + 64, minChunkBytes) });
}

/** Scattered values are nearly all distinct, so no dictionary is tried for them. */
export function writeColumn(body: ByteWriter, values: Uint32Array, isScattered: boolean): void {
  const distinct = isScattered ? undefined : distinctOf(values);
  if (distinct === undefined || distinct.length > values.length / 2 + 1) {
    body.number(Form.plain);
    writePlanes(body, values);
  } else if (distinct.length <= 1) {
    body.number(Form.same);
    body.number(distinct[0] ?? 0);
  } else {
    body.number(Form.dictionary);
    writeDictionary(body, distinct);
    writePlanes(body, placesIn(distinct, values));
  }
}

function writeDictionary(body: ByteWriter, distinct: Uint32Array): void {
  body.number(distinct.length);
  let last = 0;
  for (const value of distinct) {
    body.number(value - last);
    last = value;
  }
}

/** Sorted, without duplicates; undefined when there are too many. */
function distinctOf(values: Uint32Array): Uint32Array | undefined {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, values[i] ?? 0);
  return most < smallValues ? distinctOfSmall(values, most) : distinctOfLarge(values);
}

function distinctOfSmall(values: Uint32Array, most: number): Uint32Array {
  table.fill(0, 0, most + 1);
  for (let i = 0; i < values.length; i++) table[values[i] ?? 0] = 1;
  const distinct: number[] = [];
  for (let value = 0; value <= most; value++) if (table[value] === 1) distinct.push(value);
  return Uint32Array.from(values.length === 0 ? [] : distinct);
}

function distinctOfLarge(values: Uint32Array): Uint32Array | undefined {
  const sorted = values.slice().sort();
  let count = 0;
  for (let i = 0; i < sorted.length; i++) {
    const value = sorted[i] ?? 0;
    if (i === 0 || value !== sorted[count - 1]) sorted[count++] = value;
  }
  return count > maxDistinct ? undefined : sorted.subarray(0, count);
}

function placesIn(distinct: Uint32Array, values: Uint32Array): Uint32Array {
  const places = new Uint32Array(values.length);
  const isSmall = (distinct.at(-1) ?? 0) < smallValues;
  if (isSmall) for (let i = 0; i < distinct.length; i++) table[distinct[i] ?? 0] = i;
  for (let row = 0; row < values.length; row++) {
    const value = values[row] ?? 0;
    places[row] = isSmall ? (table[value] ?? 0) : placeOf(distinct, value);
  }
  return places;
}

/** The index of the value, or the index at which it would be inserted. */
function placeOf(sorted: Uint32Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function writePlanes(body: ByteWriter, values: Uint32Array): void {
  let all = 0;
  for (let i = 0; i < values.length; i++) all |= values[i] ?? 0;
  const width = Math.ceil((32 - Math.clz32(all)) / 8);
  body.number(width);
  const plane = new Uint8Array(values.length);
  for (let byte = 0; byte < width; byte++) {
    for (let i = 0; i < values.length; i++) plane[i] = (values[i] ?? 0) >>> (8 * byte);
    body.raw(plane);
  }
}

/** Fills the first `rows` entries of `values`. */
export function readColumn(body: ByteReader, rows: number, values: Uint32Array): void {
  const form = body.number();
  if (form === Form.same) values.fill(body.number(), 0, rows);
  else if (form === Form.plain) readPlanes(body, rows, values);
  else readPlaces(body, rows, values);
}

function readPlaces(body: ByteReader, rows: number, values: Uint32Array): void {
  const distinct = new Uint32Array(body.number());
  let last = 0;
  for (let i = 0; i < distinct.length; i++) {
    last += body.number();
    distinct[i] = last;
  }
  readPlanes(body, rows, values);
  for (let i = 0; i < rows; i++) values[i] = distinct[values[i] ?? 0] ?? 0;
}

function readPlanes(body: ByteReader, rows: number, values: Uint32Array): void {
  const width = body.number();
  if (width === 0) values.fill(0, 0, rows);
  for (let byte = 0; byte < width; byte++) {
    const plane = body.raw(rows);
    if (byte === 0) values.set(plane);
    else for (let i = 0; i < rows; i++) values[i] = (values[i] ?? 0) | ((plane[i] ?? 0) << (8 * byte));
  }
}
