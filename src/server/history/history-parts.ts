// Everything that an opened history consists of, and how it comes to be: the database is opened (or put aside
// and begun anew), then the journal is read, so that the open block holds what no segment holds yet.

import { ClientLabels } from './client-labels.ts';
import { openHistoryFile, type HistoryDatabase } from './database.ts';
import { Dictionary } from './dictionary.ts';
import type { Dictionaries } from './filter.ts';
import { Intake, Kind } from './intake.ts';
import { encodeChunk, Journal, readJournals, type Chunk, type Entry } from './journal.ts';
import { Block } from './rows.ts';
import { SegmentIndex } from './segment-index.ts';

export interface Parts extends Dictionaries {
  readonly database: HistoryDatabase;
  readonly index: SegmentIndex;
  readonly intake: Intake;
  readonly journal: Journal;
  readonly open: Block;
  /** What a person must hear about the opening. */
  readonly alarm: string | undefined;
}

/** In the table of small facts: the last id that was given to a row, so that none is given twice. */
export const lastIdKey = 'last_id';

export interface PartOptions {
  readonly dataDir: string;
  readonly nowMs: number;
  readonly windowBytes: number;
  readonly seeds: readonly [number, number];
}

export function openParts({ dataDir, nowMs, windowBytes, seeds }: PartOptions): Parts {
  const { database, alarm } = openHistoryFile(dataDir, nowMs);
  const names = new Dictionary(database, 'name');
  const clients = new Dictionary(database, 'client');
  const upstreams = new Dictionary(database, 'upstream');
  for (const dictionary of [names, clients, upstreams]) dictionary.load();
  const labels = new ClientLabels(database, clients);
  const texts = { names, clients, labels, upstreams };
  const lastId = database.meta(lastIdKey) ?? 0;
  const chunks = readJournals(dataDir);
  const entries = restoreEntries(chunks, texts);
  const open = replay(chunks, lastId);
  return {
    ...texts,
    database,
    alarm,
    index: new SegmentIndex(database, windowBytes),
    intake: new Intake(texts, seeds),
    open,
    journal: new Journal(dataDir, encodeChunk(open, 0, open.length === 0 ? [] : entries)),
  };
}

function restoreEntries(chunks: readonly Chunk[], { names, clients, upstreams }: Dictionaries): Entry[] {
  const entries = new Map(
    chunks.flatMap((chunk) => chunk.entries.map((entry) => [`${entry.kind} ${entry.id}`, entry] as const)),
  );
  for (const { kind, id, text } of entries.values())
    if (kind === Kind.name) names.restore(id, text);
    else (kind === Kind.client ? clients : upstreams).restore(id, text);
  return [...entries.values()];
}

/** The rows of the journal that are in no segment yet. */
function replay(chunks: readonly Chunk[], lastId: number): Block {
  // Also a chunk without rows says which id is the next.
  const first = chunks.find(({ firstId, rows }) => firstId + rows > lastId);
  const open = new Block(Math.max(lastId + 1, first?.firstId ?? 1));
  for (const chunk of chunks) {
    let id = chunk.firstId;
    chunk.each((fields) => {
      // Ids are without gaps in a block; a row that is in the block already, or in a segment, is passed over.
      if (id++ === open.lastId + 1) open.add(fields);
    });
  }
  return open;
}
