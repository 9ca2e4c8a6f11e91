// The journal: what has come since the last segment was closed, written each second without fsync, so that a
// killed program loses the last second at most. A chunk has its length and checksum before it; how they are
// read again stands in journal-reader.ts. There are two files in turn: the older one stays until the next
// segment is closed, because the transaction that made it needless may still be on its way to the disk when
// the power fails. A journal names every text that its rows use, so that it can be read into an empty
// database too.

import { closeSync, ftruncateSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ByteWriter } from './byte-stream.ts';
import { type Block, columnNumbers } from './rows.ts';

export const journalFiles = ['history-journal-0.bin', 'history-journal-1.bin'] as const;
export function journalFile(dataDir: string, turn: number): string {
  return join(dataDir, journalFiles[turn & 1] ?? journalFiles[0]);
}

/** "slj1", the size of the rest, its checksum. */
export const chunkHeadBytes = 12;
export const chunkMark = 0x316a_6c73;

/** A text that is used for the first time in a journal. */
export interface Entry {
  /** Number of the dictionary. */
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
    writer.piece(Buffer.from(text));
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
  const chunk = writer.take();
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

  /** Begins anew with one chunk, what was read from the files before; it takes their place at once. */
  constructor(dataDir: string, first: Uint8Array) {
    this.#dataDir = dataDir;
    const path = journalFile(dataDir, 0);
    writeFileSync(`${path}.new`, first, { mode: 0o640 });
    renameSync(`${path}.new`, path);
    rmSync(journalFile(dataDir, 1), { force: true });
    this.#descriptor = openSync(path, 'r+');
    this.#sizeBytes = first.length;
  }

  /** Differs for each file that was begun, and is never 0. */
  get number(): number {
    return this.#turn + 1;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Whole or not at all: throws what the disk says, and leaves nothing of the chunk behind. */
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

  /** What was written so far is in the database now; `first` begins the other file. */
  turnOver(first: Uint8Array): void {
    const path = journalFile(this.#dataDir, this.#turn + 1);
    // Some file systems write a file that was cut to nothing out at once; a new one may wait.
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
