// Takes away what others may do with the data folder: made by hand or by another program it often has mode
// 0755, and then everybody on the machine sees which files there are and when they change. A folder that is
// not ours alone, because another user owns it or other files lie in it, is reported and left as it is.

import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the service writes, and what file systems put there. */
const ourFiles = /^(?:sluice\.db|history|snapshot\.bin|cache-\d|dns\.json|lock$|control\.sock$)/;
const ourFolders = /^(?:copies|lists|tls|compile-cache|lost\+found)$/;
const forOthers = 0o077;

/** What was done, or what a person should do; nothing when it was for this user alone already. */
export function tightenFolder(path: string): string | undefined {
  try {
    const { mode, uid } = statSync(path);
    if ((mode & forOthers) === 0) return undefined;
    const open = `open to other users (mode ${octal(mode)})`;
    if (uid !== process.geteuid?.() || !isOursAlone(path))
      return `The data folder ${path} is ${open}. Make it one of the service alone, and chmod 700 it.`;
    chmodSync(path, 0o700);
    return `The data folder ${path} was ${open}, and is not any more (0700).`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `Whether the data folder ${path} is open to other users cannot be told or changed: ${reason}.`;
  }
}

/** Those that the compile cache of earlier versions made; a link is somebody's own choice. */
export function tightenCompileCache(path: string): void {
  try {
    if (!lstatSync(path).isDirectory()) return;
    const inside = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const folder of [path, ...inside.map(({ name }) => join(path, name))]) chmodSync(folder, 0o700);
  } catch {
    // Whatever is wrong with it, the code in it is no secret, and the data folder around it is closed.
  }
}

function isOursAlone(path: string): boolean {
  return readdirSync(path).every((name) => ourFiles.test(name) || ourFolders.test(name));
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
