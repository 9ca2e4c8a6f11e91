// Removes the rights of other users from the data folder. A folder that was created by hand or by another
// program often has mode 0755, and then every user of the machine sees which files exist and when they
// change. A folder that another user owns, or that contains other files, is reported and not changed.

import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../tasks/error-text.ts';

/** Files that the service writes, and what file systems create. */
const ourFiles = /^(?:sluice\.db|history|snapshot\.bin|cache-\d|dns\.json|lock$|control\.sock$)/;
const ourFolders = /^(?:copies|lists|tls|compile-cache|lost\+found)$/;
const forOthers = 0o077;

/** What was changed, or what the user should do; undefined when the folder is already private. */
export function tightenFolder(path: string): string | undefined {
  try {
    const { mode, uid } = statSync(path);
    if ((mode & forOthers) === 0) return undefined;
    const open = `open to other users (mode ${octal(mode)})`;
    if (uid !== process.geteuid?.() || !isOursAlone(path))
      return `The data folder ${path} is ${open}. Use a folder for this service only, and chmod 700 it.`;
    chmodSync(path, 0o700);
    return `The data folder ${path} was ${open}; its mode is now 0700.`;
  } catch (error) {
    const reason = errorText(error);
    return `The mode of the data folder ${path} cannot be read or changed: ${reason}.`;
  }
}

/** The folders of an earlier version's compile cache; a link is the user's choice and stays as it is. */
export function tightenCompileCache(path: string): void {
  try {
    if (!lstatSync(path).isDirectory()) return;
    const inside = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const folder of [path, ...inside.map(({ name }) => join(path, name))]) chmodSync(folder, 0o700);
  } catch {
    // Errors do not matter: the code in it is no secret, and the data folder around it is private.
  }
}

function isOursAlone(path: string): boolean {
  return readdirSync(path).every((name) => ourFiles.test(name) || ourFolders.test(name));
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
