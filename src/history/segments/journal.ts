// The journal holds the rows since the last segment was closed. It is written each second without fsync, so
// that a killed program loses at most the last second. Each chunk begins with its length and checksum;
// journal-reader.ts reads them. Two files are used in turn: the older one stays until the next segment is
// closed, because the transaction that replaced it may not be on the disk yet when the power fails. A journal
// contains every text that its rows use, so that it can also be read into an empty database.

import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeWhole } from '#platform/files';
import { ByteWriter } from './byte-stream.ts';
import { type Block, columnNumbers } from './rows.ts';

export const journalFiles = ['history-journal-0.bin', 'history-journal-1.bin'] as const;
export function journalFile(dataDir: string, turn: number): string {
  return join(dataDir, journalFiles[turn & 1] ?? journalFiles[0]);
}

/** "slj1", the size of the rest, its checksum. */
export const chunkHeadBytes = 12;
export const chunkMark = 0x316a_6c73;

/** A text that a journal uses for the first time. */
export interface Entry {
  /** Which dictionary it belongs to. */
  readonly kind: number;
  readonly id: number;
  readonly text: string;
}

export function encodeChunk(block: Block, fromRow: number, entries: readonly Entry[]): Uint8Array {
  const writer = new ByteWriter();
  writer.raw(new Uint8Array(chunkHeadBytes));
  writer.number(entries.length);
  for (const { kind, id, text } of entries) {
    writer.number(kind);
    writer.number(id);
    writer.sizedBytes(Buffer.from(text));
  }
  const { length } = block;
  writer.number(block.idAt(fromRow));
  writer.number(length - fromRow);
  const times = block.times();
  for (let row = fromRow; row < length; row++) writer.double(times[row] ?? 0);
  for (const number of columnNumbers) {
    const column = block.column(number);
    for (let row = fromRow; row < length; row++) writer.number(column[row] ?? 0);
  }
  const chunk = writer.finish();
  const view = new DataView(chunk.buffer);
  view.setUint32(0, chunkMark, true);
  view.setUint32(4, chunk.length - chunkHeadBytes, true);
  view.setUint32(8, crc32(chunk.subarray(chunkHeadBytes)), true);
  return chunk;
}

export class Journal {
  readonly #dataDir: string;
  #turn = 0;
  #descriptor: number;
  #sizeBytes: number;

  /** Replaces the files by a new journal with one chunk, which holds the rows that were read from them. */
  constructor(dataDir: string, first: Uint8Array) {
    this.#dataDir = dataDir;
    const path = journalFile(dataDir, 0);
    // Not synced: readers skip damaged chunks.
    writeWhole(path, first, { synced: 'nothing', mode: 0o640 });
    rmSync(journalFile(dataDir, 1), { force: true });
    this.#descriptor = openSync(path, 'r+');
    this.#sizeBytes = first.length;
  }

  /** A different number for each file that is started; never 0. */
  get number(): number {
    return this.#turn + 1;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Appends the whole chunk or nothing; passes on disk errors. */
  append(chunk: Uint8Array): void {
    try {
      for (let at = 0; at < chunk.length;)
        at += writeSync(this.#descriptor, chunk, at, chunk.length - at, this.#sizeBytes + at);
      this.#sizeBytes += chunk.length;
    } catch (error) {
      ftruncateSync(this.#descriptor, this.#sizeBytes);
      throw error;
    }
  }

  /** All rows so far are in the database; starts the other file with `first`. */
  turnOver(first: Uint8Array): void {
    const path = journalFile(this.#dataDir, this.#turn + 1);
    // Some file systems flush a truncated file at once; they do not flush a new file.
    rmSync(path, { force: true });
    const next = openSync(path, 'w', 0o640);
    closeSync(this.#descriptor);
    this.#descriptor = next;
    this.#turn += 1;
    this.#sizeBytes = 0;
    this.append(first);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
