// The door of the server room. It stays light: whoever comes in loads only what he asks for.

export { loadMadeHistory } from './made-history.ts';
export { makeFolder } from './make-folder.ts';
export { inspectSettings, runService, type RunEnd } from './program.ts';
export { locate, type Located } from './settings/locate.ts';
