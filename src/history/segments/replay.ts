// The rows of the journals that are in no segment yet, put together again. Ids tell which are known and where
// some are missing. After a part that could not be read, rows may use texts that were named there: their
// numbers mean nothing now and will be given to other texts, so such rows are left out and counted.

import type { Dictionary } from './dictionary.ts';
import type { Dictionaries } from './filter.ts';
import type { JournalsRead } from './journal-reader.ts';
import { Block, Column, type ColumnNumber, type RowFields } from './rows.ts';

export interface Replayed {
  /** The newest rows without a gap; empty when there are none. */
  readonly open: Block;
  /** Older ones, each without a gap. */
  readonly before: readonly Block[];
  /** Those that are known to be missing. */
  readonly lostRows: number;
}

/** `lastId` is the last one in a segment. */
export function replay({ chunks, damage }: JournalsRead, texts: Dictionaries, lastId: number): Replayed {
  const isKnown = damage.length === 0 ? () => true : textsCheck(texts);
  const before: Block[] = [];
  let open = new Block(lastId + 1);
  let lostRows = 0;
  /** Rows up to here are missing, if they are not there. */
  const skipTo = (id: number): void => {
    if (id <= open.lastId + 1) return;
    // Without a segment nobody knows what was before the first row.
    if (open.lastId > 0) lostRows += id - open.lastId - 1;
    if (open.length > 0) before.push(open);
    open = new Block(id);
  };
  for (const chunk of chunks) {
    // Also one without rows says which id is the next.
    skipTo(chunk.firstId);
    let id = chunk.firstId - 1;
    chunk.each((fields) => {
      id++;
      if (id <= open.lastId || !isKnown(fields)) return;
      skipTo(id);
      open.add(fields);
    });
    // An id that was told outside is given to no other row.
    skipTo(id + 1);
  }
  return { open, before, lostRows };
}

/** Tells whether all texts of a row are known, each looked for once. */
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
  // 0 stands for none.
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
