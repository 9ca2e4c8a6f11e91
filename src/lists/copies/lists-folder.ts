// Where everything about lists lies in the data folder; apart, because threads ask that need nothing else of
// those who work on lists.

import { join } from 'node:path';

export const listsFolderOf = (dataDir: string): string => join(dataDir, 'lists');
