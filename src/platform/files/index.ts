// The door of files: folders with the right modes, and files written completely or not at all.

export { copyDurably, syncFolder } from './durable-file.ts';
export { makeFolder } from './make-folder.ts';
export { tightenCompileCache, tightenFolder } from './tighten-folder.ts';
export { draftEnding, isObject, readJson, writeWhole, writeWholeJson } from './whole-file.ts';
