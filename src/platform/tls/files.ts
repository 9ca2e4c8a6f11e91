// File operations for certificates: read a small file, write one so that a crash leaves either the old or the
// new content, and detect cheaply whether one has changed. The temporary file has a fixed name, so the next
// write overwrites what a crash left behind. A missing file and an unreadable file are different results: the
// first may be created, the second must not be overwritten.

import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { limits } from '#contract';
import { failed, type Outcome } from './material.ts';
import { errorText } from '../tasks/error-text.ts';

export type FileText =
  | { readonly state: 'present'; readonly text: string }
  | { readonly state: 'absent' }
  | { readonly state: 'failed'; readonly problem: string };

/** A pipe or a device is refused before it is opened: reading one could block for ever. */
export async function readSmallFile(path: string): Promise<FileText> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return { state: 'failed', problem: `${path} is not a regular file` };
    if (found.size > limits.pemBytes)
      return { state: 'failed', problem: `${path} is larger than ${limits.pemBytes} bytes` };
    return { state: 'present', text: await readFile(path, 'utf8') };
  } catch (error) {
    return errorCode(error) === 'ENOENT'
      ? { state: 'absent' }
      : { state: 'failed', problem: errorText(error) };
  }
}

/** Syncs content, then name, then folder; readers see the old file or the new one. */
export async function writeFileAtomically(path: string, text: string, mode: number): Promise<Outcome<void>> {
  const temporary = `${path}.tmp`;
  try {
    await rm(temporary, { force: true });
    await writeDurably(temporary, text, mode);
    await rename(temporary, path);
    await syncFolder(dirname(path));
    return { ok: true, value: undefined };
  } catch (error) {
    return failed(`${path} could not be written (${errorText(error)})`);
  }
}

/** The folder of the keys is private to this user; a file system without modes (FAT) is accepted. */
export async function preparePrivateFolder(folder: string): Promise<Outcome<void>> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700).catch(() => undefined);
    return { ok: true, value: undefined };
  } catch (error) {
    return failed(
      `The folder ${folder} could not be made (${errorText(error)}). Make it writable for this user.`,
    );
  }
}

/**
 * A text that changes whenever one of the files may have changed. The change time is part of it because a
 * repaired permission does not alter the modification time; an error is part of it so that its end counts as
 * a change.
 */
export async function stampOf(paths: readonly string[]): Promise<string> {
  return (await Promise.all(paths.map(stampOfOne))).join(' ');
}

async function stampOfOne(path: string): Promise<string> {
  try {
    const found = await stat(path, { bigint: true });
    return [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(':');
  } catch (error) {
    return errorCode(error);
  }
}

async function writeDurably(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
}
