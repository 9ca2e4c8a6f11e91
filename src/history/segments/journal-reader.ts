// Reads the journals at start. Each chunk begins with a mark and has a checksum; a damaged chunk is skipped,
// and reading continues with the next sound one. Lost bytes are reported, except for a chunk that the end of
// the file cuts off: that is what a kill leaves behind, and it holds at most one second.

import { readFileSync, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { ByteReader } from './byte-stream.ts';
import { chunkHeadBytes, chunkMark, journalFile, journalFiles, type Entry } from './journal.ts';
import { columnNumbers, RowFields } from './rows.ts';

/** Bytes that may be checked for each byte of a file: false marks could make the search very long. */
const maxChecks = 8;
const markBytes = Uint8Array.of(chunkMark, chunkMark >>> 8, chunkMark >>> 16, chunkMark >>> 24);

export interface Chunk {
  readonly firstId: number;
  readonly entries: readonly Entry[];
  readonly rows: number;
  /** Calls `visit` for each row, with the same object. */
  each(visit: (fields: RowFields) => void): void;
}

/** A file of which a part could not be read. */
export interface JournalDamage {
  readonly path: string;
  readonly lostBytes: number;
  /** The first id of the other file if that is the newer one: all rows of this file came before it. */
  readonly laterId: number | undefined;
}

export interface JournalsRead {
  /** The chunks of both files, the older file first. */
  readonly chunks: readonly Chunk[];
  readonly damage: readonly JournalDamage[];
}

export function readJournals(dataDir: string): JournalsRead {
  const files = journalFiles.map((_, turn) => readFile(journalFile(dataDir, turn)));
  return {
    chunks: files.flatMap(({ chunks }) => chunks).toSorted((a, b) => a.firstId - b.firstId),
    damage: files
      .filter(({ lostBytes }) => lostBytes > 0)
      .map((file) => ({ ...file, laterId: laterIdOf(file, files) })),
  };
}

type FileRead = Omit<JournalDamage, 'laterId'> & { readonly chunks: readonly Chunk[] };

/** The age of a file without a readable chunk is unknown. */
function laterIdOf(file: FileRead, files: readonly FileRead[]): number | undefined {
  const begun = file.chunks[0]?.firstId ?? Infinity;
  return files.map(({ chunks }) => chunks[0]?.firstId ?? 0).find((id) => id > begun);
}

/** Passes on disk errors, but an unreadable sector (EIO) counts as lost bytes. */
function readFile(path: string): FileRead {
  try {
    return { path, ...readChunks(readFileSync(path)) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return { path, chunks: [], lostBytes: 0 };
    if (code === 'EIO') return { path, chunks: [], lostBytes: statSync(path).size };
    throw error;
  }
}

/** All sound chunks, and how many bytes belong to none. */
export function readChunks(bytes: Uint8Array): { readonly chunks: Chunk[]; readonly lostBytes: number } {
  const chunks: Chunk[] = [];
  const finder = new ChunkFinder(bytes);
  let lostBytes = 0;
  let at = 0;
  for (let payload = finder.next(at); payload !== undefined; payload = finder.next(at)) {
    chunks.push(decodeChunk(payload));
    lostBytes += finder.at - at;
    at = finder.at + chunkHeadBytes + payload.length;
  }
  return { chunks, lostBytes: isCutOff(bytes, at) ? lostBytes : lostBytes + bytes.length - at };
}

/** Whether a chunk begins here that the end of the file cuts off. */
function isCutOff(bytes: Uint8Array, at: number): boolean {
  const left = bytes.length - at;
  if (left < chunkHeadBytes) return true;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, left);
  return view.getUint32(0, true) === chunkMark && view.getUint32(4, true) > left - chunkHeadBytes;
}

class ChunkFinder {
  readonly #bytes: Buffer;
  /** How many bytes may still be checked. */
  #left: number;
  /** Where the last found chunk begins. */
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#left = maxChecks * bytes.length;
  }

  /** The payload of the first sound chunk at or after `from`. */
  next(from: number): Uint8Array | undefined {
    for (let at = this.#markFrom(from); at >= 0; at = this.#markFrom(at + 1)) {
      this.at = at;
      const payload = this.#soundAt(at);
      if (payload !== undefined) return payload;
    }
    return undefined;
  }

  #markFrom(from: number): number {
    return this.#bytes.indexOf(markBytes, from);
  }

  #soundAt(at: number): Uint8Array | undefined {
    const bytes = this.#bytes;
    const from = at + chunkHeadBytes;
    if (from > bytes.length) return undefined;
    const size = bytes.readUInt32LE(at + 4);
    if (size === 0 || from + size > bytes.length || size > this.#left) return undefined;
    this.#left -= size;
    const payload = bytes.subarray(from, from + size);
    return crc32(payload) === bytes.readUInt32LE(at + 8) ? payload : undefined;
  }
}

function decodeChunk(payload: Uint8Array): Chunk {
  const reader = new ByteReader(payload);
  const entries: Entry[] = [];
  for (let left = reader.number(); left > 0; left--) {
    const kind = reader.number();
    const id = reader.number();
    entries.push({ kind, id, text: Buffer.from(reader.sizedBytes()).toString() });
  }
  const firstId = reader.number();
  const rows = reader.number();
  return {
    entries,
    firstId,
    rows,
    each: (visit) => eachRow(new ByteReader(payload, reader.at), rows, visit),
  };
}

function eachRow(reader: ByteReader, rows: number, visit: (fields: RowFields) => void): void {
  const times = Float64Array.from({ length: rows }, () => reader.double());
  const columns = columnNumbers.map(() => Uint32Array.from({ length: rows }, () => reader.number()));
  const fields = new RowFields();
  for (let row = 0; row < rows; row++) {
    fields.timeMs = times[row] ?? 0;
    for (const [number, column] of columns.entries()) fields.values[number] = column[row] ?? 0;
    visit(fields);
  }
}
