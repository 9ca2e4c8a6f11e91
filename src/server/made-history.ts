// A history of queries from a seed, for measurements. It is loaded by whoever measures and by nobody else,
// since it brings the whole store along.

import type * as MadeHistory from './history/made-folder.ts';

export const loadMadeHistory = (): Promise<typeof MadeHistory> => import('./history/made-folder.ts');
