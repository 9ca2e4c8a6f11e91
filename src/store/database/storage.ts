// Storage as the rest of the server sees it: opening it, `change`, and the read model. Other components
// subscribe to changes; the read model is updated before any subscriber is called.

import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { createChange, type Change, type ChangeListener } from './change.ts';
import { lastNumber } from './copies.ts';
import { removeOldLeftovers } from './deleted-leftovers.ts';
import { rewriteFlags } from './file-flags.ts';
import { FileKeeper } from './file-keeper.ts';
import { Losses } from './losses.ts';
import { watchTrouble } from './trouble.ts';
import { databaseFile, markSuspect, openDatabaseFile, type Opened } from './open-file.ts';
import { migrate } from './migrations.ts';
import { replaceMissingTables } from './missing-tables.ts';
import { createAppPasswords, type AppPasswords } from './app-passwords.ts';
import { createReadModel, type ReadModel } from './read-model.ts';
import { requireSpaceToReopen } from './reopen-space.ts';
import { createRevisions, type Revisions } from './revisions.ts';
import { createMessageBoard, type MessageBoard } from './messages.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import { createSessionsStore, type SessionsStore } from './sessions-store.ts';
import type { Tables } from './schema.ts';
import { databaseTrouble, isSqliteError, sqliteDialect, troubleText } from '#platform/sqlite';

export interface Storage {
  readonly change: Change;
  readonly read: ReadModel;
  readonly revisions: Revisions;
  readonly sessions: SessionsStore;
  readonly secrets: Secrets;
  readonly apps: AppPasswords;
  readonly messages: MessageBoard;
  readonly origin: Opened['origin'];
  readonly alarms: readonly string[];
  readonly subscribe: (listener: ChangeListener) => void;
  readonly sizeBytes: () => number;
  /** Why the database cannot be written at the moment; undefined when it can. */
  readonly trouble: () => string | undefined;
  /** The messages about missing changes that the user has not deleted yet. */
  readonly losses: () => string | undefined;
  /** Why a loss of later changes would not be detected; undefined when it would. */
  readonly lossDetectionProblem: () => string | undefined;
  /** Moves the write-ahead log into the database file soon. */
  readonly checkpointSoon: () => void;
  /** A sentence that names the tables that could not be used at opening; undefined when all could. */
  readonly missingTables: string | undefined;
  readonly close: () => Promise<void>;
}

export interface StorageOptions {
  readonly dataDir: string;
  readonly nowMs: () => number;
  /** Called when a write fails because the file is damaged. */
  readonly onDamaged: (problem: string) => void;
  /** Called when a file that was read-only at opening becomes writable. */
  readonly onWritable?: () => void;
  /** Called before each migration of an existing database, because one may block this thread for minutes. */
  readonly onMigration?: (name: string) => void;
  /** Called with the new number of diagnosis messages when they have changed. */
  readonly onMessages?: (count: number) => void;
  /** Moves a long write-ahead log into the database file in another thread. */
  readonly checkpointInThread?: () => Promise<void>;
}

/** Returns a text with the reason when storage cannot be opened. */
export async function openStorage(options: StorageOptions): Promise<Storage | string> {
  const { dataDir, nowMs, onDamaged, onWritable, onMessages = () => undefined } = options;
  const opened = tryToOpen(dataDir, nowMs());
  if (typeof opened === 'string') return opened;
  const { database, origin, alarms, trouble: already } = opened;
  const keeper = keeperOf(options, opened);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(database, keeper) });
  const loaded = await load(db, opened, origin === 'existing' ? options.onMigration : undefined);
  if (loaded === 'damaged' && origin === 'existing') {
    // The cheap check did not detect the damage. Opening again runs the deep check and repairs the file.
    await db.destroy();
    markSuspect(dataDir);
    return openStorage(options);
  }
  if (typeof loaded === 'string') {
    await db.destroy();
    return loaded;
  }
  const { read, secrets, missingTables, leftovers } = loaded;
  const losses = await recordLoss(opened, db, keeper, options);
  const listeners: ChangeListener[] = [read.apply];
  const onChanged: ChangeListener = (changes, version) =>
    listeners.forEach((listener) => listener(changes, version));
  const { change, trouble, stop } = watchTrouble({
    change: createChange({ db, nowMs, onChanged }),
    tryToWrite: () => {
      if (already !== undefined) requireSpaceToReopen(dataDir);
      probe(database, keeper);
    },
    already,
    onOver: () => (already === undefined ? undefined : onWritable?.()),
    onDamaged,
  });
  return {
    change,
    trouble,
    missingTables,
    read,
    revisions: createRevisions(db),
    sessions: createSessionsStore(db),
    secrets,
    apps: createAppPasswords(db),
    messages: losses.watching(createMessageBoard(db, change, onMessages, nowMs)),
    origin,
    alarms: [...alarms, ...leftovers],
    losses: () => losses.text,
    lossDetectionProblem: () => keeper.problem,
    checkpointSoon: () => keeper.checkpointSoon(),
    subscribe: (listener) => listeners.push(listener),
    sizeBytes: () => statSync(databaseFile(dataDir), { throwIfNoEntry: false })?.size ?? 0,
    close: async () => {
      stop();
      await keeper.close();
      await db.destroy();
    },
  };
}

const keeperOf = (options: StorageOptions, { database, isModifiedOutside }: Opened): FileKeeper =>
  new FileKeeper({
    dataDir: options.dataDir,
    database,
    isModifiedOutside: isModifiedOutside === true,
    databasePath: databaseFile(options.dataDir),
    moveInThread: options.checkpointInThread,
    onDamaged: () => options.onDamaged('the write-ahead log cannot be moved into the database file'),
  });

/** Records the loss in the database before `begin` lowers the high-water mark. */
async function recordLoss(
  { loss }: Opened,
  db: Kysely<Tables>,
  keeper: FileKeeper,
  { dataDir, nowMs }: StorageOptions,
): Promise<Losses> {
  const losses = new Losses(db);
  const isRecorded = loss === undefined || (await losses.record(loss, nowMs(), lastNumber(dataDir)));
  await losses.refresh();
  if (isRecorded) keeper.begin();
  return losses;
}

function tryToOpen(dataDir: string, nowMs: number): Opened | string {
  try {
    return openDatabaseFile(dataDir, nowMs);
  } catch (error) {
    if (databaseTrouble(error) === undefined) throw error;
    const reason = troubleText(error);
    return `${databaseFile(dataDir)} cannot be opened: ${reason}. Make it a file that this user may write.`;
  }
}

interface Loaded {
  readonly read: ReadModel;
  readonly secrets: Secrets;
  readonly missingTables: string | undefined;
  /** Why leftovers of deleted rows could not be removed. */
  readonly leftovers: readonly string[];
}

/** Returns `damaged` when the file is damaged, and any other text as the reason why it cannot be used. */
async function load(
  db: Kysely<Tables>,
  { database, trouble: already }: Opened,
  onMigration: StorageOptions['onMigration'],
): Promise<Loaded | string> {
  try {
    const problem = await migrate(db, onMigration);
    if (problem !== undefined) return problem;
    const leftovers = already === undefined ? await removeOldLeftovers(db, database) : undefined;
    const missingTables = await replaceMissingTables(db, database);
    const read = await createReadModel(db);
    return {
      read,
      secrets: await loadSecrets(db),
      missingTables,
      leftovers: leftovers === undefined ? [] : [leftovers],
    };
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    const trouble = databaseTrouble(error);
    if (trouble === 'damaged') return trouble;
    if (trouble !== undefined) return `The database cannot be read now: ${troubleText(error)}.`;
    return `The database cannot be used: ${error.message}. Restore a copy of it (docs/operating.md).`;
  }
}

function probe(database: DatabaseSync, keeper: FileKeeper): void {
  keeper.beforeWrite();
  rewriteFlags(database);
  keeper.written();
}
