// The door of the service: what the command line needs to run the service, and to read its settings while it
// is stopped. It loads little, because every command imports it.

export { makeFolder } from '#platform/files';
export { inspectSettings, runService, type RunEnd } from './program.ts';
export { locate, type Located } from '#store/settings';
