// Writes a downloaded list to the draft file as a stream: decompress, count, hash, compress with zstd. The
// largest list takes no more memory than a small one. Bytes are limited before and after decompression,
// because a few compressed kilobytes can expand to gigabytes.

import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Transform, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdCompress,
  createZstdDecompress,
} from 'node:zlib';
import { FetchStop } from '../fetch-outcome.ts';
import { maxEncodings, type FetchLimits } from '../list-limits.ts';

export interface DraftFacts {
  readonly unpackedBytes: number;
  readonly contentHash: string;
  readonly fileBytes: number;
  readonly fileHash: string;
}

/** For the header Accept-Encoding, best first. */
export const acceptedEncodings = 'zstd, br, gzip, deflate';
/** Files are a ninth larger than at level 6, but it takes a seventh of the CPU time. */
const zstdLevel = 1;

const unpackers: ReadonlyMap<string, () => Duplex> = new Map([
  ['gzip', (): Duplex => createGunzip()],
  ['x-gzip', (): Duplex => createGunzip()],
  ['deflate', (): Duplex => createInflate()],
  ['br', (): Duplex => createBrotliDecompress()],
  ['zstd', (): Duplex => createZstdDecompress()],
]);

/** Throws a FetchStop or an error of the streams; the caller then removes the draft. */
export async function writeDraft(
  body: NodeJS.ReadableStream,
  encoding: string | undefined,
  draftPath: string,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<DraftFacts> {
  const packed = new Meter(limits.packedBytes, undefined);
  const content = new Meter(limits.unpackedBytes, createHash('sha256'));
  const file = new Meter(Number.POSITIVE_INFINITY, createHash('sha256'));
  await pipeline(
    [
      body,
      packed,
      ...unpackersFor(encoding),
      content,
      createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: zstdLevel } }),
      file,
      createWriteStream(draftPath, { mode: 0o600, flush: true }),
    ],
    { signal },
  );
  return {
    unpackedBytes: content.sizeBytes,
    contentHash: content.digest(),
    fileBytes: file.sizeBytes,
    fileHash: file.digest(),
  };
}

/** RFC 9110, 8.4: encodings are named in the order in which they were applied. */
function unpackersFor(encoding: string | undefined): Duplex[] {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > maxEncodings) throw new FetchStop('The list is compressed too many times.', false);
  return names.toReversed().map((name) => {
    const create = unpackers.get(name);
    if (create === undefined)
      throw new FetchStop(`The server compresses with "${name}", which Sluice does not support.`, false);
    return create();
  });
}

/** Counts bytes, stops the stream at the limit, and hashes when a hash is given. */
class Meter extends Transform {
  sizeBytes = 0;
  readonly #maxBytes: number;
  readonly #hash: Hash | undefined;

  constructor(maxBytes: number, hash: Hash | undefined) {
    super();
    this.#maxBytes = maxBytes;
    this.#hash = hash;
  }

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error: Error | null, chunk?: Buffer) => void,
  ): void {
    this.sizeBytes += chunk.length;
    if (this.sizeBytes > this.#maxBytes) {
      done(
        new FetchStop(
          `The list has more than ${this.#maxBytes} bytes, too many for a list; check the address.`,
          false,
        ),
      );
      return;
    }
    this.#hash?.update(chunk);
    done(null, chunk);
  }

  digest(): string {
    return this.#hash?.digest('hex') ?? '';
  }
}
