// The seal of a database file: its checksum, in a file beside it. SQLite has no checksums, so it does not
// detect a flipped byte in a stored name. The database file changes only when the write-ahead log is moved
// into it. SQLite also does that when the last connection closes, for example because a thread crashed. So
// the seal exists only while the log is empty: it is removed before the first write and created again after
// a checkpoint. A database without a seal is not checked. The seal contains a checksum of itself, and a
// damaged seal counts as none.

import { readFileSync, readSync, renameSync, rmSync, openSync, closeSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolder } from '#platform/files';

interface Sum {
  readonly bytes: number;
  readonly crc: number;
}

const pieceBytes = 262_144;

function sealPath(path: string): string {
  return `${path}.checksum`;
}

export function hasSeal(path: string): boolean {
  return readSeal(path) !== undefined;
}

/** Whether the file has changed since it was sealed. False when there is no seal or no file. */
export function isSealViolated(path: string): boolean {
  const sealed = readSeal(path);
  if (sealed === undefined) return false;
  try {
    const { bytes, crc } = sumNow(path);
    return bytes !== sealed.bytes || crc !== sealed.crc;
  } catch {
    // Opening the database will report the read error.
    return false;
  }
}

export async function breakSeal(path: string): Promise<void> {
  await rm(sealPath(path), { force: true });
  syncFolder(dirname(path));
}

/**
 * The synchronous form, for use before a write and for files that were put aside. False when the folder is
 * not writable; then the database cannot be written either.
 */
export function dropSeal(path: string): boolean {
  try {
    rmSync(sealPath(path), { force: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * Creates no seal if the file was written meanwhile. The check and the renaming are synchronous, so no write
 * can happen between them.
 */
export async function seal(path: string, isWritten: () => boolean = () => false): Promise<void> {
  const text = textOf(await sumOf(path));
  const draft = `${sealPath(path)}.making`;
  await writeFile(draft, `${text} check ${crc32(text)}\n`, { mode: 0o600, flush: true });
  if (isWritten()) await rm(draft, { force: true });
  else renameSync(draft, sealPath(path));
}

const textOf = ({ bytes, crc }: Sum): string => `bytes ${bytes} crc32 ${crc}`;

function readSeal(path: string): Sum | undefined {
  try {
    const text = readFileSync(sealPath(path), 'utf8');
    const found = /^bytes (\d{1,15}) crc32 (\d{1,10}) check (\d{1,10})\n$/.exec(text);
    const sum = { bytes: Number(found?.[1]), crc: Number(found?.[2]) };
    return found !== null && crc32(textOf(sum)) === Number(found[3]) ? sum : undefined;
  } catch {
    return undefined;
  }
}

async function sumOf(path: string): Promise<Sum> {
  const file = await open(path, 'r');
  try {
    const piece = Buffer.allocUnsafe(pieceBytes);
    let bytes = 0;
    let crc = 0;
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes, bytes);
      if (bytesRead === 0) return { bytes, crc };
      crc = crc32(piece.subarray(0, bytesRead), crc);
      bytes += bytesRead;
    }
  } finally {
    await file.close();
  }
}

function sumNow(path: string): Sum {
  const descriptor = openSync(path, 'r');
  try {
    const piece = Buffer.allocUnsafe(pieceBytes);
    let bytes = 0;
    let crc = 0;
    for (;;) {
      const count = readSync(descriptor, piece, 0, pieceBytes, bytes);
      if (count === 0) return { bytes, crc };
      crc = crc32(piece.subarray(0, count), crc);
      bytes += count;
    }
  } finally {
    closeSync(descriptor);
  }
}
