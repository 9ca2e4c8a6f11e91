// The path of the lists in the data folder. A separate door, because some threads need only the path.

import { join } from 'node:path';

export function listsFolderOf(dataDir: string): string {
  return join(dataDir, 'lists');
}
