// Checks size and hash of a stored copy. Reads in blocks, because a copy may be large. A file that cannot be
// read counts as missing, not as damaged: the error may be temporary.

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { CopyDescription } from './copy-description.ts';

const blockBytes = 1_048_576;

export function fileState(
  path: string,
  { fileBytes, fileHash }: CopyDescription,
): 'whole' | 'missing' | 'damaged' {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    if (fstatSync(descriptor).size !== fileBytes) return 'damaged';
    return hashOf(descriptor, fileBytes) === fileHash ? 'whole' : 'damaged';
  } catch {
    return 'missing';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function hashOf(descriptor: number, sizeBytes: number): string {
  const hash = createHash('sha256');
  const block = Buffer.alloc(Math.min(blockBytes, sizeBytes));
  for (let at = 0; at < sizeBytes;) {
    const read = readSync(descriptor, block, 0, block.length, at);
    if (read === 0) break;
    hash.update(block.subarray(0, read));
    at += read;
  }
  return hash.digest('hex');
}
