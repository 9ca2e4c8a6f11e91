// Decompresses a stored text and passes it on in parts of whole lines, so that reading the largest list takes
// only a few megabytes of memory. A line longer than a part makes the part grow: it cannot be a rule, but it
// has to be counted as one line.

import { createReadStream } from 'node:fs';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';

const partBytes = 2_097_152;
const chunkSize = 262_144;
const newline = 0x0a;

/** Throws when the text does not have `unpackedBytes`, its size when it was stored. */
export async function readParts(
  path: string,
  unpackedBytes: number,
  onPart: (part: Uint8Array) => void,
): Promise<void> {
  const cutter = new LineCutter(unpackedBytes, onPart);
  await pipeline(
    createReadStream(path, { highWaterMark: chunkSize }),
    createZstdDecompress({ chunkSize }),
    cutter,
  );
  if (cutter.sizeBytes !== unpackedBytes) throw new Error(`${path} is shorter than when it was stored`);
}

class LineCutter extends Writable {
  sizeBytes = 0;
  readonly #onPart: (part: Uint8Array) => void;
  readonly #maxBytes: number;
  #part: Uint8Array;
  #filled = 0;

  constructor(maxBytes: number, onPart: (part: Uint8Array) => void) {
    super({ highWaterMark: chunkSize });
    this.#onPart = onPart;
    this.#maxBytes = maxBytes;
    this.#part = new Uint8Array(Math.min(partBytes, maxBytes) + chunkSize);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#attempt(done, () => {
      this.sizeBytes += chunk.length;
      if (this.sizeBytes > this.#maxBytes) throw new Error('the text is longer than when it was stored');
      if (this.#filled + chunk.length > this.#part.length) this.#grow(chunk.length);
      this.#part.set(chunk, this.#filled);
      this.#filled += chunk.length;
      if (this.#filled >= partBytes) this.#passWholeLines();
    });
  }

  override _final(done: (error?: Error) => void): void {
    this.#attempt(done, () => this.#onPart(this.#part.subarray(0, this.#filled)));
  }

  /** An exception of `onPart` ends the stream with an error, not the thread. */
  #attempt(done: (error?: Error) => void, work: () => void): void {
    try {
      work();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    done();
  }

  #passWholeLines(): void {
    const end = this.#part.lastIndexOf(newline, this.#filled - 1) + 1;
    if (end === 0) return;
    this.#onPart(this.#part.subarray(0, end));
    this.#part.copyWithin(0, end, this.#filled);
    this.#filled -= end;
  }

  #grow(bytes: number): void {
    const larger = new Uint8Array(2 * (this.#filled + bytes));
    larger.set(this.#part.subarray(0, this.#filled));
    this.#part = larger;
  }
}
