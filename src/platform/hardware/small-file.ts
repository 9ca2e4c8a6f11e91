// Small files in which the kernel tells about the machine. Some are not there on some machines, some may not
// be read by everybody: then nothing is known.

import { readFile } from 'node:fs/promises';

/** Without white space and zero bytes at its end; nothing when it cannot be read or is empty. */
export async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).replace(/[\s\0]+$/, '');
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}
