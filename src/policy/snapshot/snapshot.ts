// Reads a snapshot in a buffer that a builder filled, in this thread, another one or an earlier run of the
// program. Only the rare rules at its end are parsed; a lookup reads one or two cache lines and allocates
// nothing.

import { checksum } from './checksum.ts';
import { homeOf, scaleOf } from './cell-table.ts';
import {
  cellWords,
  checksumWords,
  format,
  Head,
  headerWords,
  keyWords,
  magic,
  maxBytes,
  rowWords,
} from './layout.ts';
import { filterBitOf, filterScaleOf } from './name-filter.ts';
import type { Meta } from './rare-rules.ts';

/** Why a buffer is not a snapshot. */
export type SnapshotProblem = 'too short' | 'no snapshot' | 'another format' | 'damaged';

export class Snapshot {
  readonly buffer: SharedArrayBuffer | ArrayBuffer;
  readonly key: Int32Array;
  /** Names and addresses that have rules. */
  readonly names: number;
  /** Without the reserve of the buffer: this much has to be written to a file. */
  readonly sizeBytes: number;
  readonly rowCount: number;
  readonly rows: Int32Array;
  readonly sets: Int32Array;
  readonly meta: Meta;
  readonly #cells: Int32Array;
  readonly #scale: number;
  readonly #filter: Int32Array;
  readonly #filterScale: number;

  constructor(buffer: SharedArrayBuffer | ArrayBuffer, words: Int32Array, meta: Meta) {
    const head = (at: number): number => words[at] ?? 0;
    this.buffer = buffer;
    this.meta = meta;
    this.key = words.slice(Head.key, Head.key + keyWords);
    this.names = head(Head.names);
    this.sizeBytes = head(Head.usedWords) * 4;
    this.rowCount = head(Head.rows);
    this.rows = words.subarray(head(Head.rowsAt), head(Head.rowsAt) + this.rowCount * rowWords);
    this.sets = words.subarray(head(Head.setsAt), head(Head.setsAt) + head(Head.setWords));
    this.#cells = words.subarray(headerWords, head(Head.filterAt));
    this.#filter = words.subarray(head(Head.filterAt), head(Head.filterAt) + head(Head.filterWords));
    this.#filterScale = filterScaleOf(head(Head.filterWords));
    this.#scale = scaleOf(head(Head.cells));
  }

  /** The value at a fingerprint (see layout.ts); 0 when no rule has this name. */
  find(low: number, high: number): number {
    const bit = filterBitOf(high, this.#filterScale);
    if (((this.#filter[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return 0;
    return this.#search(low, high);
  }

  #search(low: number, high: number): number {
    const cells = this.#cells;
    const wanted = low >>> 0;
    for (let at = homeOf(low, this.#scale) * cellWords; at < cells.length; at += cellWords) {
      const there = cells[at] ?? 0;
      const value = cells[at + 2] ?? 0;
      if (there === low && cells[at + 1] === high) return value;
      if (value === 0 || there >>> 0 > wanted) return 0;
    }
    return 0;
  }

  /** The bytes for a file, as they are in memory. */
  bytes(): Uint8Array {
    return new Uint8Array(this.buffer, 0, this.sizeBytes);
  }
}

/** Memory to read a snapshot's file into; a builder can reuse it later and let it grow. */
export function snapshotMemory(sizeBytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(sizeBytes, { maxByteLength: Math.max(sizeBytes, maxBytes) });
}

/**
 * `isTrusted`: it comes from a builder of this process, so the checksum, which reads all of it, is not
 * needed. `buffer` must not change any more.
 */
export function openSnapshot(
  buffer: SharedArrayBuffer | ArrayBuffer,
  isTrusted = false,
): Snapshot | SnapshotProblem {
  const problem = headProblem(buffer);
  if (problem !== undefined) return problem;
  const words = new Int32Array(buffer, 0, wordAt(buffer, Head.usedWords));
  if (!isTrusted && !isWhole(words)) return 'damaged';
  const metaBytes = new Uint8Array(buffer, wordAt(buffer, Head.metaAt) * 4, wordAt(buffer, Head.metaBytes));
  // The checksum proves who wrote it. A copy, because text decoders refuse shared memory.
  const meta = JSON.parse(new TextDecoder().decode(metaBytes.slice())) as Meta;
  return new Snapshot(buffer, words, meta);
}

function wordAt(buffer: SharedArrayBuffer | ArrayBuffer, at: number): number {
  return new Int32Array(buffer, at * 4, 1)[0] ?? 0;
}

function headProblem(buffer: SharedArrayBuffer | ArrayBuffer): SnapshotProblem | undefined {
  if (buffer.byteLength < headerWords * 4) return 'too short';
  if (wordAt(buffer, Head.magic) !== magic) return 'no snapshot';
  if (wordAt(buffer, Head.format) !== format) return 'another format';
  const usedWords = wordAt(buffer, Head.usedWords);
  return usedWords < headerWords || usedWords * 4 > buffer.byteLength ? 'too short' : undefined;
}

function isWhole(words: Int32Array): boolean {
  const found = new Int32Array(checksumWords);
  checksum(words, words.length, found);
  return found[0] === words[Head.checksum] && found[1] === words[Head.checksum + 1];
}
