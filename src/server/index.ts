// The door of the server room. It stays light: whoever comes in loads only what he asks for.

import type * as MadeHistory from './history/made-folder.ts';

export { inspectSettings, runService, type RunEnd } from './program.ts';
export { locate, type Located } from './settings/locate.ts';

/** A history of queries from a seed, for measurements. */
export const loadMadeHistory = (): Promise<typeof MadeHistory> => import('./history/made-folder.ts');
