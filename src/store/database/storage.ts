// Storage as the rest of the server sees it: open, the door for changes, and the read model. Whoever needs to
// know of changes subscribes; the read model is the first to hear.

import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { createChange, type Change, type ChangeListener } from './change.ts';
import { lastNumber } from './copies.ts';
import { removeOldTraces } from './deleted-traces.ts';
import { rewriteFlags } from './file-flags.ts';
import { FileKeeper } from './file-keeper.ts';
import { Losses } from './losses.ts';
import { watchTrouble } from './trouble.ts';
import { databaseFile, markSuspect, openDatabaseFile, type Opened } from './open-file.ts';
import { migrate } from './migrations.ts';
import { replaceMissingTables } from './missing-tables.ts';
import { createAppPasswords, type AppPasswords } from './app-passwords.ts';
import { createReadModel, type ReadModel } from './read-model.ts';
import { requireRoomToReopen } from './reopen-room.ts';
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
  /** Why the database cannot be written at the moment; nothing when it can. */
  readonly trouble: () => string | undefined;
  /** Stored changes that are missing, until a person deletes the message; what would hide such a loss. */
  readonly losses: () => string | undefined;
  readonly lossBlindness: () => string | undefined;
  /** Moves the write-ahead log into the database file soon. */
  readonly checkpointSoon: () => void;
  /** Which tables could not be used when the database was opened, as a sentence; nothing when all could. */
  readonly missingTables: string | undefined;
  readonly close: () => Promise<void>;
}

export interface StorageOptions {
  readonly dataDir: string;
  readonly nowMs: () => number;
  /** Called when a write finds the file damaged. */
  readonly onBroken: (problem: string) => void;
  /** Called when a file that could only be read when it was opened can be written. */
  readonly onRoom?: () => void;
  /** Called before each migration of an existing database: a large one keeps this thread busy for minutes. */
  readonly onMigration?: (name: string) => void;
  /** Called when there are other diagnosis messages than before. */
  readonly onMessages?: (count: number) => void;
  /** Moves a long write-ahead log into the database file without holding up this thread. */
  readonly checkpointElsewhere?: () => Promise<void>;
}

/** A text in place of storage is the reason why there is none. */
export const openStorage = async (options: StorageOptions): Promise<Storage | string> => {
  const { dataDir, nowMs, onBroken, onRoom, onMessages = () => undefined } = options;
  const opened = tryToOpen(dataDir, nowMs());
  if (typeof opened === 'string') return opened;
  const { database, origin, alarms, trouble: already } = opened;
  const keeper = keeperOf(options, opened);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(database, keeper) });
  const loaded = await load(db, opened, origin === 'existing' ? options.onMigration : undefined);
  if (loaded === 'damaged' && origin === 'existing') {
    // The cheap check at opening did not see it; the deep one will, and mend.
    await db.destroy();
    markSuspect(dataDir);
    return openStorage(options);
  }
  if (typeof loaded === 'string') {
    await db.destroy();
    return loaded;
  }
  const { read, secrets, missingTables, traces } = loaded;
  const losses = await rememberLoss(opened, db, keeper, options);
  const listeners: ChangeListener[] = [read.apply];
  const onChanged: ChangeListener = (changes, version) =>
    listeners.forEach((listener) => listener(changes, version));
  const { change, trouble, stop } = watchTrouble({
    change: createChange({ db, nowMs, onChanged }),
    tryToWrite: () => {
      if (already !== undefined) requireRoomToReopen(dataDir);
      probe(database, keeper);
    },
    already,
    onOver: () => (already === undefined ? undefined : onRoom?.()),
    onBroken,
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
    alarms: [...alarms, ...traces],
    losses: () => losses.text,
    lossBlindness: () => keeper.problem,
    checkpointSoon: () => keeper.checkpointSoon(),
    subscribe: (listener) => listeners.push(listener),
    sizeBytes: () => statSync(databaseFile(dataDir), { throwIfNoEntry: false })?.size ?? 0,
    close: async () => {
      stop();
      await keeper.close();
      await db.destroy();
    },
  };
};

const keeperOf = (options: StorageOptions, { database, isOther }: Opened): FileKeeper =>
  new FileKeeper({
    dataDir: options.dataDir,
    database,
    isOther: isOther === true,
    databasePath: databaseFile(options.dataDir),
    moveElsewhere: options.checkpointElsewhere,
    onBroken: () => options.onBroken('the write-ahead log cannot be moved into the database file'),
  });

/** The loss is on the disk before the mark of the last change is lowered to what is left. */
const rememberLoss = async (
  { loss }: Opened,
  db: Kysely<Tables>,
  keeper: FileKeeper,
  { dataDir, nowMs }: StorageOptions,
): Promise<Losses> => {
  const losses = new Losses(db);
  const isKnown = loss === undefined || (await losses.record(loss, nowMs(), lastNumber(dataDir)));
  await losses.refresh();
  if (isKnown) keeper.begin();
  return losses;
};

const tryToOpen = (dataDir: string, nowMs: number): Opened | string => {
  try {
    return openDatabaseFile(dataDir, nowMs);
  } catch (error) {
    if (databaseTrouble(error) === undefined) throw error;
    const reason = troubleText(error);
    return `${databaseFile(dataDir)} cannot be opened: ${reason}. Make it a file that this user may write.`;
  }
};

interface Loaded {
  readonly read: ReadModel;
  readonly secrets: Secrets;
  readonly missingTables: string | undefined;
  /** Why deleted entries are still in the bytes of the file. */
  readonly traces: readonly string[];
}

/** `damaged` when the file is, and any other text when this version cannot use it. */
const load = async (
  db: Kysely<Tables>,
  { database, trouble: already }: Opened,
  onMigration: StorageOptions['onMigration'],
): Promise<Loaded | string> => {
  try {
    const problem = await migrate(db, onMigration);
    if (problem !== undefined) return problem;
    const traces = already === undefined ? await removeOldTraces(db, database) : undefined;
    const missingTables = await replaceMissingTables(db, database);
    const read = await createReadModel(db);
    return {
      read,
      secrets: await loadSecrets(db),
      missingTables,
      traces: traces === undefined ? [] : [traces],
    };
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    const trouble = databaseTrouble(error);
    if (trouble === 'damaged') return trouble;
    if (trouble !== undefined) return `The database cannot be read now: ${troubleText(error)}.`;
    return `The database cannot be used: ${error.message}. Restore a copy of it (docs/operating.md).`;
  }
};

const probe = (database: DatabaseSync, keeper: FileKeeper): void => {
  keeper.beforeWrite();
  rewriteFlags(database);
  keeper.written();
};
