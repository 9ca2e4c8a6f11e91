// A stored text, unpacked and handed on in parts of whole lines: the largest list takes a few megabytes while
// it is read. Only a line that is longer than a part makes the part grow; it is no rule, but lines are
// counted.

import { createReadStream } from 'node:fs';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';

const partBytes = 2_097_152;
const chunkSize = 262_144;
const newline = 0x0a;

/** `unpackedBytes`: what was counted when it was stored; anything else is an error, and is thrown. */
export async function readParts(
  path: string,
  unpackedBytes: number,
  take: (part: Uint8Array) => void,
): Promise<void> {
  const cutter = new LineCutter(unpackedBytes, take);
  await pipeline(
    createReadStream(path, { highWaterMark: chunkSize }),
    createZstdDecompress({ chunkSize }),
    cutter,
  );
  if (cutter.sizeBytes !== unpackedBytes) throw new Error(`${path} is shorter than it was`);
}

class LineCutter extends Writable {
  sizeBytes = 0;
  readonly #take: (part: Uint8Array) => void;
  readonly #mostBytes: number;
  #part: Uint8Array;
  #filled = 0;

  constructor(mostBytes: number, take: (part: Uint8Array) => void) {
    super({ highWaterMark: chunkSize });
    this.#take = take;
    this.#mostBytes = mostBytes;
    this.#part = new Uint8Array(Math.min(partBytes, mostBytes) + chunkSize);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#attempt(done, () => {
      this.sizeBytes += chunk.length;
      if (this.sizeBytes > this.#mostBytes) throw new Error('the text is longer than it was');
      if (this.#filled + chunk.length > this.#part.length) this.#grow(chunk.length);
      this.#part.set(chunk, this.#filled);
      this.#filled += chunk.length;
      if (this.#filled >= partBytes) this.#handOn();
    });
  }

  override _final(done: (error?: Error) => void): void {
    this.#attempt(done, () => this.#take(this.#part.subarray(0, this.#filled)));
  }

  /** What is thrown by whoever takes the parts ends the reading, not the thread. */
  #attempt(done: (error?: Error) => void, work: () => void): void {
    try {
      work();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    done();
  }

  #handOn(): void {
    const end = this.#part.lastIndexOf(newline, this.#filled - 1) + 1;
    if (end === 0) return;
    this.#take(this.#part.subarray(0, end));
    this.#part.copyWithin(0, end, this.#filled);
    this.#filled -= end;
  }

  #grow(bytes: number): void {
    const larger = new Uint8Array(2 * (this.#filled + bytes));
    larger.set(this.#part.subarray(0, this.#filled));
    this.#part = larger;
  }
}
