// The door of the service: what the command line needs to run it, and to work on its data while it does not
// run. It stays light, because every command loads it.

export { makeFolder } from '#platform/files';
export { inspectSettings, runService, type RunEnd } from './program.ts';
export { locate, type Located } from '#store/settings';
