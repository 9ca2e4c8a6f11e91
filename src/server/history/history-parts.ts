// Everything that an opened history consists of, and how it comes to be: the database is opened (or put aside
// and begun anew), then the journal is read, so that the open block holds what no segment holds yet.

import { ClientLabels } from './client-labels.ts';
import { databaseTrouble, troubleText } from '../storage/sqlite-errors.ts';
import { openHistoryFile, putAside, type HistoryDatabase, type OpenedHistory } from './database.ts';
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

/** Opens the file; one that turns out to be damaged while it is read is put aside, and a new one begun. */
export function openParts(options: PartOptions): Parts {
  const first = openHistoryFile(options.dataDir, options.nowMs);
  try {
    return assemble(first, options);
  } catch (error) {
    first.database.close();
    if (!isDamage(error)) throw error;
    const alarm = asideAlarm(first.database.path, error, options.nowMs);
    return assemble({ ...openHistoryFile(options.dataDir, options.nowMs), alarm }, options);
  }
}

/** SQLite says so, or a part cannot be decoded. */
export const isDamage = (error: unknown): boolean =>
  databaseTrouble(error) === 'broken' ||
  (error instanceof RangeError && !error.message.startsWith('Maximum call stack')) ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ZSTD'));

/** Puts the file aside; what a person must hear about it. */
export function asideAlarm(path: string, error: unknown, nowMs: number): string {
  const aside = putAside(path, nowMs);
  return (
    `The history ${path} is broken: ${troubleText(error)}. It was put aside as ${aside} ` +
    'and a new one was begun. Delete the old file when you do not need it.'
  );
}

function assemble({ database, alarm }: OpenedHistory, options: PartOptions): Parts {
  const { dataDir, windowBytes, seeds } = options;
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

/** The rows of the journal that are in no segment yet. A chunk without rows says which id is the next. */
function replay(chunks: readonly Chunk[], lastId: number): Block {
  let open = new Block(lastId + 1);
  for (const chunk of chunks) {
    // What stands between was in segments of a database that is lost: the newest rows count.
    if (chunk.firstId > open.lastId + 1) open = new Block(chunk.firstId);
    let id = chunk.firstId;
    chunk.each((fields) => {
      if (id++ === open.lastId + 1) open.add(fields);
    });
  }
  return open;
}
