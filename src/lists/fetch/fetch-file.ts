// A list in a file of this machine. Only regular files, so that no pipe or device can hold us up, and none of
// the data folder: what a list's report shows of wrong lines must not be a secret of ours.

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
      return failed(`${shownAddress(url)}: files of the service itself are no lists; choose another.`, false);
    // A pipe without a writer would hold up a plain open for ever.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await handle.stat();
    if (!found.isFile())
      return failed(`${shownAddress(url)}: this is no regular file; give the path of one.`, false);
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

/** Says as much as a server's: it changes with every write. */
const etagOf = ({ ino, size, mtimeMs }: Stats): string => `file-${ino}-${size}-${mtimeMs}`;

function isInside(path: string, folder: string | undefined): boolean {
  if (folder === undefined) return false;
  const real = realpathSync(folder);
  return path === real || path.startsWith(real + sep);
}
