// Reads the kernel's small files about the machine. Some do not exist on some machines, and some are not
// readable for every user: then the result is undefined.

import { readFile } from 'node:fs/promises';

/** Without white space and zero bytes at the end; undefined when it cannot be read or is empty. */
export async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).replace(/[\s\0]+$/, '');
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}
