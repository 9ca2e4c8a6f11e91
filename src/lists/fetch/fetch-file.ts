// Reads a list from a file on this machine. Only regular files, because a pipe or device could block the
// read. No files of the data folder, because a list's report quotes invalid lines and could expose secrets.

import { constants, realpathSync, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withinTime } from './fetch-clock.ts';
import { failed, type FetchOutcome, type Validators } from '../fetch-outcome.ts';
import { shownAddress } from '../shown-address.ts';
import { failureOf } from './fetch-problem.ts';
import type { FetchLimits } from '../list-limits.ts';
import { writeDraft } from '../copies/write-draft.ts';

export interface FetchFileOptions {
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
  readonly forbiddenFolder: string | undefined;
}

export async function fetchFile(
  url: URL,
  known: Validators,
  draftPath: string,
  options: FetchFileOptions,
): Promise<FetchOutcome> {
  let handle: FileHandle | undefined;
  try {
    const path = realpathSync(fileURLToPath(url));
    if (isInside(path, options.forbiddenFolder))
      return failed(
        `${shownAddress(url)}: files of the data folder cannot be lists; choose another file.`,
        false,
      );
    // Without O_NONBLOCK, opening a pipe that has no writer blocks for ever.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await handle.stat();
    if (!found.isFile())
      return failed(`${shownAddress(url)}: not a regular file; give the path of one.`, false);
    const etag = etagOf(found);
    if (etag === known.etag) return { kind: 'unchanged' };
    const body = handle.createReadStream({ autoClose: false });
    const { signal, limits } = options;
    const facts = await withinTime(url, { signal, overallMs: limits.overallMs }, (stop) =>
      writeDraft(body, undefined, draftPath, limits, stop.signal),
    );
    return { kind: 'changed', ...facts, etag, lastModified: undefined };
  } catch (error) {
    return failureOf(error, url);
  } finally {
    await handle?.close();
  }
}

/** Changes with every write, like the ETag of a server. */
function etagOf({ ino, size, mtimeMs }: Stats): string {
  return `file-${ino}-${size}-${mtimeMs}`;
}

function isInside(path: string, folder: string | undefined): boolean {
  if (folder === undefined) return false;
  const real = realpathSync(folder);
  return path === real || path.startsWith(real + sep);
}
