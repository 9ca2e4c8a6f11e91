// The parts of an open history and how they are created: the database is opened (or put aside and replaced by
// a new one), then the journal is read, so that the open block holds the rows that are in no segment yet.

import { ClientLabels } from './client-labels.ts';
import { databaseTrouble, troubleText } from '#platform/sqlite';
import { openHistoryFile, putAside, type HistoryDatabase, type OpenedHistory } from './database.ts';
import { Dictionary } from './dictionary.ts';
import type { Dictionaries } from './filter.ts';
import { Intake, Kind } from './intake.ts';
import { encodeChunk, Journal, type Entry } from './journal.ts';
import { readJournals, type Chunk, type JournalDamage } from './journal-reader.ts';
import { replay } from './replay.ts';
import { rollupOf } from './rollup.ts';
import type { Block } from './rows.ts';
import { hourOf, SegmentIndex } from './segment-index.ts';
import type { Unlogged } from './unlogged.ts';

export interface Parts extends Dictionaries {
  readonly database: HistoryDatabase;
  readonly index: SegmentIndex;
  readonly intake: Intake;
  readonly journal: Journal;
  readonly open: Block;
  /** When the file was created; a new file has another time. */
  readonly begunMs: number;
  /** A message for the user about opening the file. */
  readonly alarm: string | undefined;
  /** A message for the user about damage in the journals. */
  readonly journalAlarm: string | undefined;
}

/** Key in the table `meta`: the last id that was given to a row, so that none is used twice. */
const lastIdKey = 'last_id';
/** Key in the table `meta`: when the file was created. */
const begunKey = 'begun_ms';

export interface PartOptions {
  readonly dataDir: string;
  readonly nowMs: number;
  readonly windowBytes: number;
  readonly seeds: readonly [number, number];
  /** Receives the queries that are only counted. */
  readonly unlogged: Unlogged;
  /** The previous file was put aside, and that has already been reported. */
  readonly isPutAside?: boolean;
}

/**
 * Opens the file; if it turns out to be damaged while it is read, it is put aside and a new one is created.
 */
export function openParts(options: PartOptions): Parts {
  const first = openHistoryFile(options.dataDir, options.nowMs, options.isPutAside);
  try {
    return assemble(first, options);
  } catch (error) {
    first.database.close();
    if (!isDamage(error)) throw error;
    const alarm = asideAlarm(first.database.path, error, options.nowMs);
    return assemble({ ...openHistoryFile(options.dataDir, options.nowMs, true), alarm }, options);
  }
}

/** SQLite reports damage, or a part cannot be decoded. */
export function isDamage(error: unknown): boolean {
  return (
    databaseTrouble(error) === 'damaged' ||
    (error instanceof RangeError && !error.message.startsWith('Maximum call stack')) ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ZSTD'))
  );
}

const diskErrors = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'EPERM', 'EFBIG', 'ENOENT']);

/** The disk is full, read-only or failing. */
export function isDiskTrouble(error: unknown): boolean {
  return (
    databaseTrouble(error) !== undefined ||
    (error instanceof Error && 'code' in error && diskErrors.has(String(error.code)))
  );
}

/** Puts the file aside and returns the message for the user. */
export function asideAlarm(path: string, error: unknown, nowMs: number): string {
  const aside = putAside(path, nowMs);
  return (
    `The history ${path} is broken: ${troubleText(error)}. It was put aside as ${aside} ` +
    'and a new one was created. Delete the old file when you do not need it.'
  );
}

function assemble({ database, alarm }: OpenedHistory, options: PartOptions): Parts {
  const { dataDir, windowBytes, seeds, unlogged } = options;
  const names = new Dictionary(database, 'name');
  const clients = new Dictionary(database, 'client');
  const upstreams = new Dictionary(database, 'upstream');
  for (const dictionary of [names, clients, upstreams]) dictionary.load();
  const labels = new ClientLabels(database, clients);
  const texts = { names, clients, labels, upstreams };
  const index = new SegmentIndex(database, windowBytes);
  const journals = readJournals(dataDir);
  const entries = restoreEntries(journals.chunks, texts);
  const lastId = database.meta(lastIdKey) ?? 0;
  const { open, before, lostRows } = replay(journals, texts, lastId);
  // Damage in the older journal matters only if its rows are not in segments, because the power failed.
  const damage = journals.damage.filter(({ laterId = Infinity }) => laterId > lastId + 1);
  // The ids of a block have no gaps: rows before a gap are stored first, and only then are the journals
  // replaced.
  for (const block of before) storeBlock({ ...texts, database, index }, block, hourOf(block.maxMs));
  return {
    ...texts,
    database,
    alarm,
    journalAlarm: damage.length === 0 ? undefined : journalAlarm(damage, lostRows),
    index,
    intake: new Intake(texts, unlogged, seeds),
    open,
    begunMs: begunMsOf(database, options.nowMs),
    journal: new Journal(dataDir, encodeChunk(open, 0, open.length === 0 ? [] : entries)),
  };
}

function begunMsOf(database: HistoryDatabase, nowMs: number): number {
  const known = database.meta(begunKey);
  if (known === undefined) database.setMeta(begunKey, nowMs);
  return known ?? nowMs;
}

/** Stores a block as a segment, together with the texts that it uses, in one transaction. */
export function storeBlock(parts: StoringParts, block: Block, hour: number): void {
  const { database, index, names, clients, upstreams, labels } = parts;
  const texts = [names, clients, upstreams, labels];
  const inserted = database.transaction(() => {
    for (const text of texts) text.store();
    database.setMeta(lastIdKey, block.lastId);
    return index.insert(block, hour, rollupOf(block));
  });
  for (const text of texts) text.stored();
  index.added(inserted.segment, inserted.rows);
}

type StoringParts = Dictionaries & Pick<Parts, 'database' | 'index'>;

function journalAlarm(damage: readonly JournalDamage[], lostRows: number): string {
  const files = damage.map(({ path, lostBytes }) => `${lostBytes} bytes of ${path}`).join(' and ');
  const rows = lostRows === 0 ? 'so some queries may be' : `so ${lostRows} queries are`;
  return (
    `The journal of the history is damaged: ${files} could not be read, ${rows} missing in the history. ` +
    'Everything else was kept, and no action is needed. If this happens again, check the disk and its cable.'
  );
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
