// The history's SQLite file. It is separate from the entities, because it may grow large, can be put aside
// without losing a setting, and needs no fsync for each write. A broken file is put aside and a new one is
// created. Pages that retention frees are returned to the disk in small steps (incremental vacuum).

import { existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { databaseTrouble, troubleText } from '#platform/sqlite';
import { journalFiles } from './journal.ts';

export type SqlRow = Record<string, SQLOutputValue>;

const schemaVersion = 2;
const cachePagesKb = 8_192;
/** After a large transaction the write-ahead log is truncated to this size. */
const maxLogBytes = 8 * 1024 * 1024;

const schema = `
create table name (id integer primary key, hash integer not null, text text not null) strict;
create index name_hash on name (hash);
create table client (
  id integer primary key, hash integer not null, text text not null, label text not null default ''
) strict;
create index client_hash on client (hash);
create index client_label on client (label) where label <> '';
create table upstream (id integer primary key, hash integer not null, text text not null) strict;
create index upstream_hash on upstream (hash);
create table segment (
  first_id integer primary key, last_id integer not null, hour integer not null, rows integer not null,
  blocked integer not null, min_ms real not null, max_ms real not null,
  head blob not null, clients blob not null, permitted blob not null, denied blob not null, body blob not null
) strict;
create table day (
  day integer primary key, rows integer not null, blocked integer not null,
  min_ms real not null, max_ms real not null,
  head blob not null, clients blob not null, permitted blob not null, denied blob not null
) strict;
create table meta (key text primary key, value integer not null) strict, without rowid;
`;

export function historyFile(dataDir: string): string {
  return join(dataDir, 'history.db');
}

export interface OpenedHistory {
  readonly database: HistoryDatabase;
  /** A message for the user when opening was not normal. */
  readonly alarm: string | undefined;
}

/**
 * Throws when the disk is full or the folder is not writable. `isPutAside`: the previous file was put aside,
 * so a missing file is expected.
 */
export function openHistoryFile(dataDir: string, nowMs: number, isPutAside = false): OpenedHistory {
  const path = historyFile(dataDir);
  const isLost = !isPutAside && wasThere(dataDir);
  const first = tryOpen(path);
  if (first.ok) return { database: first.database, alarm: isLost ? lostAlarm(path) : undefined };
  const aside = putAside(path, nowMs);
  const second = tryOpen(path);
  const alarm =
    `The history ${path} is broken: ${first.problem}. It was put aside as ${aside}; ` +
    'a new one was created. Delete the old file when you do not need it.';
  if (!second.ok) throw new Error(`${alarm} That failed: ${second.problem}.`);
  return { database: second.database, alarm };
}

/** Whether a history is lost: its file is empty, or it is missing and there is a journal. */
function wasThere(dataDir: string): boolean {
  const size = statSync(historyFile(dataDir), { throwIfNoEntry: false })?.size;
  return size === 0 || (size === undefined && journalFiles.some((name) => existsSync(join(dataDir, name))));
}

function lostAlarm(path: string): string {
  return (
    `The history ${path} was missing or empty. A new one was created with the queries in its journal. ` +
    'Older queries are lost unless you have a backup of the file: stop the service and restore it.'
  );
}

type Attempt =
  | { readonly ok: true; readonly database: HistoryDatabase }
  | { readonly ok: false; readonly problem: string };

function tryOpen(path: string): Attempt {
  let opened: DatabaseSync | undefined;
  try {
    opened = new DatabaseSync(path, { timeout: 2_000 });
    const isNew = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
    // `auto_vacuum` can only be set before the first page is written.
    if (isNew) opened.exec('pragma auto_vacuum = incremental');
    // A second process waits until this one has closed the file: two that write the journals would mix them
    // up.
    opened.exec('pragma locking_mode = exclusive');
    opened.exec('pragma journal_mode = wal; pragma synchronous = normal');
    opened.exec(`pragma cache_size = -${cachePagesKb}; pragma journal_size_limit = ${maxLogBytes}`);
    const problem = prepareSchema(opened);
    if (problem === undefined) return { ok: true, database: new HistoryDatabase(path, opened) };
    opened.close();
    return { ok: false, problem };
  } catch (error) {
    opened?.close();
    // A full disk or missing rights are no reason to put a good file aside.
    if (databaseTrouble(error) !== 'damaged') throw error;
    return { ok: false, problem: troubleText(error) };
  }
}

function prepareSchema(opened: DatabaseSync): string | undefined {
  const version = Number(opened.prepare('pragma user_version').get()?.['user_version']);
  if (version === schemaVersion) return undefined;
  const tables = Number(opened.prepare('select count(*) as tables from sqlite_schema').get()?.['tables']);
  if (tables > 0) return `it has schema version ${version}, and this program supports only ${schemaVersion}`;
  opened.exec(`begin; ${schema} pragma user_version = ${schemaVersion}; commit`);
  return undefined;
}

export function putAside(path: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[:.]/gu, '-');
  const aside = `${path}.broken-${stamp}`;
  for (const suffix of ['-wal', '-shm', ''])
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  return aside;
}

export class HistoryDatabase {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** The error of a read that returned a fallback; the store checks it later and handles it. */
  trouble: unknown;

  constructor(path: string, database: DatabaseSync) {
    this.path = path;
    this.#database = database;
  }

  /** Each statement is prepared once. */
  statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = this.#database.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }

  /** Every statement that was prepared, for the test of query plans. */
  get statements(): string[] {
    return [...this.#statements.keys()];
  }

  /** The rows, or `fallback` when the file cannot be read. */
  readOr(fallback: SqlRow[], sql: string, ...values: SQLInputValue[]): SqlRow[] {
    try {
      return this.statement(sql).all(...values);
    } catch (error) {
      if (databaseTrouble(error) === undefined) throw error;
      this.trouble = error;
      return fallback;
    }
  }

  /** Commits all or nothing; passes on what SQLite throws. */
  transaction<T>(work: () => T): T {
    this.#database.exec('begin immediate');
    try {
      const done = work();
      this.#database.exec('commit');
      return done;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }

  meta(key: string): number | undefined {
    const row = this.statement('select value from meta where key = ?').get(key);
    return row === undefined ? undefined : Number(row['value']);
  }

  setMeta(key: string, value: number): void {
    this.statement('insert or replace into meta (key, value) values (?, ?)').run(key, value);
  }

  /** Size of the pages in use. */
  usedBytes(): number {
    const pragma = (name: string): number => Number(this.statement(`pragma ${name}`).get()?.[name] ?? 0);
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  }

  /** Returns this many free pages to the disk. */
  releasePages(pages: number): void {
    this.#database.exec(`pragma incremental_vacuum(${pages})`);
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}
