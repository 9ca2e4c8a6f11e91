// The door of the copies: the downloaded texts of lists in the data folder.

export { notAList } from './examine.ts';
export { ListCopies } from './list-copies.ts';
export { listsFolderOf } from './lists-folder.ts';
export { readParts } from './text-parts.ts';
