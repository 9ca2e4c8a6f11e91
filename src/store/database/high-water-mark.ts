// The number of the last change that reached the disk, in a small file beside the SQLite file. SQLite drops
// the end of a damaged write-ahead log without a word, and takes an older file for the current one; a mark
// outside of it is what notices. It is written after the commit has returned, so it never claims more than
// the disk has. A plain write survives the end of the process; after a power failure the mark may be older,
// which claims less. The two records take turns: a torn or damaged one leaves the other.

import { closeSync, fdatasync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { systemCode } from '#platform/sockets';
import { replaceDurably } from '#platform/files';

/** `unreadable`: the file is there, and neither record is whole. */
export type FoundMark = { readonly state: 'known'; readonly last: number } | NoMark;
interface NoMark {
  readonly state: 'missing' | 'unreadable';
}

interface MarkRecord {
  readonly turn: number;
  readonly last: number;
}

const recordBytes = 64;

export function markFile(dataDir: string): string {
  return join(dataDir, 'sluice.db.last-change');
}

export function readMark(dataDir: string): FoundMark {
  const bytes = readBytes(markFile(dataDir));
  if (bytes === 'missing' || bytes === 'unreadable') return { state: bytes };
  const newest = newestIn(bytes);
  return newest === undefined ? { state: 'unreadable' } : { state: 'known', last: newest.last };
}

function newestIn(bytes: Buffer): MarkRecord | undefined {
  const records = [0, 1].flatMap((at) => parse(bytes.toString('latin1', at * recordBytes)) ?? []);
  return records.toSorted((a, b) => b.turn - a.turn)[0];
}

function readBytes(path: string): Buffer | 'missing' | 'unreadable' {
  try {
    return readFileSync(path);
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? 'missing' : 'unreadable';
  }
}

function encode({ turn, last }: MarkRecord): Buffer {
  const text = `turn ${turn} last-change ${last}`;
  const sum = crc32(text).toString(16).padStart(8, '0');
  return Buffer.from(`${`${text} crc32 ${sum}`.padEnd(recordBytes - 1)}\n`);
}

function parse(text: string): MarkRecord | undefined {
  const found = /^(turn (\d{1,16}) last-change (\d{1,16})) crc32 ([\da-f]{8}) *\n/.exec(text);
  const [, summed = '', turn, last, sum = ''] = found ?? [];
  if (found === null || crc32(summed) !== Number.parseInt(sum, 16)) return undefined;
  return { turn: Number(turn), last: Number(last) };
}

export class HighWaterMark {
  readonly #path: string;
  #descriptor: number | undefined;
  #written: MarkRecord | undefined;
  #problem: string | undefined;

  constructor(dataDir: string) {
    this.#path = markFile(dataDir);
  }

  /** Why the mark cannot be written. Changes go on: it only notices less. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Takes the number as it is, also a lower one: for a file that was just opened. */
  begin(last: number): void {
    this.#try(() => {
      const bytes = readBytes(this.#path);
      const found = bytes instanceof Buffer ? newestIn(bytes) : undefined;
      const isRight = found?.last === last;
      if (!isRight) this.#replace(last);
      this.close();
      this.#descriptor = openSync(this.#path, 'r+');
      this.#written = isRight ? found : { turn: 2, last };
    });
  }

  #replace(last: number): void {
    // Both records say the same: were the old number still in one, damage to the other would bring it back.
    replaceDurably(this.#path, Buffer.concat([encode({ turn: 2, last }), encode({ turn: 1, last })]));
  }

  /** To be called with what is on the disk. */
  advance(last: number): void {
    const { turn, last: before } = this.#written ?? { turn: 0, last: -1 };
    if (last === before) return;
    if (this.#descriptor === undefined) return this.begin(last);
    const written = { turn: turn + 1, last };
    this.#try(() => {
      const place = (written.turn % 2) * recordBytes;
      writeSync(this.#descriptor ?? -1, encode(written), 0, recordBytes, place);
      this.#written = written;
    });
  }

  /** Brings the mark to the disk, without waiting for it. */
  sync(): void {
    if (this.#descriptor !== undefined) fdatasync(this.#descriptor, () => undefined);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #try(work: () => void): void {
    try {
      work();
      this.#problem = undefined;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#problem =
        `The number of the last change cannot be written to ${this.#path} (${reason}): a loss of later ` +
        'changes would not be noticed. Let this user write the file, or make room on the disk.';
    }
  }
}
