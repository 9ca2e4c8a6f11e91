// The high-water mark: the number of the last change that reached the disk, in a small file beside the SQLite
// file. SQLite silently drops the end of a damaged write-ahead log and accepts an older file as the current
// one; the service detects both by comparing the database with the high-water mark. The mark is written after
// the commit has returned, so it is never ahead of the database. A plain write survives the end of the
// process. After a power failure the mark may be older than the database, which hides a loss but never
// reports a false one. The file has two records that are written in turn, so one of them survives a torn
// write.

import { closeSync, fdatasync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { systemCode } from '#platform/sockets';
import { writeWhole } from '#platform/files';
import { errorText } from '#platform/tasks';

/** `unreadable`: the file exists, but neither record is valid. */
export type FoundHighWaterMark = { readonly state: 'known'; readonly last: number } | NoHighWaterMark;
interface NoHighWaterMark {
  readonly state: 'missing' | 'unreadable';
}

interface MarkRecord {
  readonly turn: number;
  readonly last: number;
}

const recordBytes = 64;

export function highWaterMarkFile(dataDir: string): string {
  return join(dataDir, 'sluice.db.last-change');
}

export function readHighWaterMark(dataDir: string): FoundHighWaterMark {
  const bytes = readBytes(highWaterMarkFile(dataDir));
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
    this.#path = highWaterMarkFile(dataDir);
  }

  /** Why the mark cannot be written. Changes are still stored, but a loss of them would not be detected. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Sets the mark for a database that was just opened, also to a lower number than before. */
  begin(last: number): void {
    this.#try(() => {
      const bytes = readBytes(this.#path);
      const found = bytes instanceof Buffer ? newestIn(bytes) : undefined;
      const isCurrent = found?.last === last;
      if (!isCurrent) this.#replace(last);
      this.close();
      this.#descriptor = openSync(this.#path, 'r+');
      this.#written = isCurrent ? found : { turn: 2, last };
    });
  }

  #replace(last: number): void {
    // Both records get the new number: an old one would become valid again if the other record was damaged.
    const bytes = Buffer.concat([encode({ turn: 2, last }), encode({ turn: 1, last })]);
    writeWhole(this.#path, bytes, { synced: 'name' });
  }

  /** Call it with the number of the last change that is on the disk. */
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

  /** Starts a flush to the disk and does not wait for it. */
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
      const reason = errorText(error);
      this.#problem =
        `The number of the last change cannot be written to ${this.#path} (${reason}): a loss of later ` +
        'changes would not be detected. Make the file writable for this user, or free some disk space.';
    }
  }
}
