// A stored text in one piece. Its size is known, so that it is unpacked right into its place, without a
// second copy of it, and so that a file that would grow beyond it is known to be wrong.

import { zstdDecompressSync } from 'node:zlib';

const chunkBytesMin = 64;

/** Nothing when it is no zstd, or the size is another. */
export function unpack(packed: Uint8Array, unpackedBytes: number): Uint8Array | undefined {
  try {
    // With a byte to spare, no second chunk is begun.
    const chunkSize = Math.max(chunkBytesMin, unpackedBytes + 1);
    const bytes = zstdDecompressSync(packed, { chunkSize, maxOutputLength: chunkSize });
    return bytes.length === unpackedBytes ? bytes : undefined;
  } catch {
    return undefined;
  }
}
