// Rebuilds from the journals the rows that are in no segment yet. Ids show which rows are stored and where
// some are missing. Rows after a damaged part may use texts that were defined there: their numbers have no
// meaning now and will be given to other texts, so these rows are dropped and counted.

import type { Dictionary } from './dictionary.ts';
import type { Dictionaries } from './filter.ts';
import type { JournalsRead } from './journal-reader.ts';
import { Block, Column, type ColumnNumber, type RowFields } from './rows.ts';

export interface Replayed {
  /** The newest rows without a gap; empty when there are none. */
  readonly open: Block;
  /** Older rows, each block without a gap. */
  readonly before: readonly Block[];
  /** How many rows are known to be missing. */
  readonly lostRows: number;
}

/** `lastId` is the last id in a segment. */
export function replay({ chunks, damage }: JournalsRead, texts: Dictionaries, lastId: number): Replayed {
  const isKnown = damage.length === 0 ? () => true : textsCheck(texts);
  const before: Block[] = [];
  let open = new Block(lastId + 1);
  let lostRows = 0;
  /** Rows up to this id are missing if they were not read. */
  const skipTo = (id: number): void => {
    if (id <= open.lastId + 1) return;
    // Without a segment it is unknown which rows came before the first one.
    if (open.lastId > 0) lostRows += id - open.lastId - 1;
    if (open.length > 0) before.push(open);
    open = new Block(id);
  };
  for (const chunk of chunks) {
    // A chunk without rows also shows which id comes next.
    skipTo(chunk.firstId);
    let id = chunk.firstId - 1;
    chunk.each((fields) => {
      id++;
      if (id <= open.lastId || !isKnown(fields)) return;
      skipTo(id);
      open.add(fields);
    });
    // An id that a caller may have seen is given to no other row.
    skipTo(id + 1);
  }
  return { open, before, lostRows };
}

/** Checks whether all texts of a row are known; each is looked up once. */
function textsCheck({ names, clients, upstreams }: Dictionaries): (fields: RowFields) => boolean {
  const checks = [
    columnCheck(Column.name, names),
    columnCheck(Column.cname, names),
    columnCheck(Column.client, clients),
    columnCheck(Column.upstream, upstreams),
  ];
  return (fields) => checks.every((check) => check(fields));
}

function columnCheck(column: ColumnNumber, texts: Dictionary): (fields: RowFields) => boolean {
  // 0 means none.
  const known = new Map<number, boolean>([[0, true]]);
  return ({ values }) => {
    const id = values[column] ?? 0;
    const before = known.get(id);
    if (before !== undefined) return before;
    const isKnown = texts.textOf(id) !== '';
    known.set(id, isKnown);
    return isKnown;
  };
}
