// Moves the write-ahead log into the SQLite file (a checkpoint) when nothing has been written for a moment.
// Then a copy of `sluice.db` alone is a complete backup, and the loss of the log costs seconds of changes
// instead of days. SQLite itself would do this only after 1,000 pages, and in the middle of a change. A short
// log is moved in this thread, which takes no longer than a change. For a long log another thread starts, and
// this thread moves only what was written meanwhile. No caller waits for a checkpoint or fails because of it:
// while other connections read, or when the disk is full, it is retried later. The file gets its seal
// (file-seal.ts) after the checkpoint, because only then the file is certain not to change.

import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { breakSeal, dropSeal, seal } from './file-seal.ts';
import { databaseTrouble } from '#platform/sqlite';

export interface IdleCheckpointOptions {
  readonly database: DatabaseSync;
  readonly databasePath: string;
  /** Moves as much as possible in another thread; without it, this thread moves a long log, too. */
  readonly moveInThread?: (() => Promise<void>) | undefined;
  /** Called when the whole log is in the file. */
  readonly onMoved: () => void;
  /** The file is damaged. */
  readonly onDamaged: () => void;
}

/** For every connection that writes: all checkpoints go through this file. */
export const disableAutoCheckpoint = 'pragma wal_autocheckpoint = 0';

const idleMs = 2_000;
/** A client that writes every second must not postpone the checkpoint for ever. */
const latestMs = 30_000;
/** After a failed checkpoint: another connection was reading, or the disk was full. */
const retryMs = 5_000;
/** 64 pages: about as much as a large change writes. */
const shortLogBytes = 270_000;
/** 1,000 pages: moved without waiting for idleness. */
const longLogBytes = 4_120_000;
/** During a stop, requests in progress may write while the file is being sealed. */
const attemptsAtClose = 3;

export class IdleCheckpoint {
  readonly #options: IdleCheckpointOptions;
  #idle: NodeJS.Timeout | undefined;
  #latest: NodeJS.Timeout | undefined;
  #moving: Promise<boolean> | undefined;
  /** There may have been writes since the last checkpoint, or during it. */
  #isBehind = false;
  #hasSeal = true;
  #isClosed = false;

  constructor(options: IdleCheckpointOptions) {
    this.#options = options;
  }

  /** Call it before each write: from now on the file may change at any time. */
  beforeWrite(): void {
    this.#isBehind = true;
    if (this.#hasSeal) this.#hasSeal = !dropSeal(this.#options.databasePath);
  }

  /** Call it after each write. */
  written(): void {
    this.#isBehind = true;
    if (this.#isClosed || this.#moving !== undefined) return;
    if (this.#logBytes() >= longLogBytes) this.#start();
    else this.#arm();
  }

  /** Moves the rest of the log. The file gets no seal if writes continue. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#disarm();
    await this.#moving;
    for (let tries = 0; this.#isBehind && tries < attemptsAtClose; tries++) await this.#move();
  }

  #arm(): void {
    if (this.#idle === undefined) this.#idle = this.#after(idleMs);
    else this.#idle.refresh();
    this.#latest ??= this.#after(latestMs);
  }

  #after(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#start(), ms).unref();
  }

  #disarm(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#latest);
    this.#idle = undefined;
    this.#latest = undefined;
  }

  #start(): void {
    this.#disarm();
    this.#moving ??= this.#move();
    void this.#moving.then((isMoved) => {
      this.#moving = undefined;
      if (this.#isClosed) return;
      if (!isMoved) this.#idle ??= this.#after(retryMs);
      else if (this.#isBehind) this.#arm();
    });
  }

  /** False when a retry is necessary. */
  async #move(): Promise<boolean> {
    const { database, databasePath, moveInThread, onMoved, onDamaged } = this.#options;
    try {
      await breakSeal(databasePath);
      if (moveInThread !== undefined && !this.#isClosed && this.#logBytes() > shortLogBytes)
        await moveInThread();
      if (database.isTransaction || !emptyLog(database)) return false;
      this.#isBehind = false;
      this.#hasSeal = true;
      await seal(databasePath, () => this.#isBehind);
      onMoved();
      return true;
    } catch (error) {
      if (databaseTrouble(error) === 'damaged') onDamaged();
      return false;
    }
  }

  #logBytes(): number {
    return statSync(`${this.#options.databasePath}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }
}

/**
 * False while other connections read. Truncates the log: SQLite would apply frames that stay in it again
 * after a crash, and if one of them was damaged, older pages would overwrite newer ones.
 */
function emptyLog(database: DatabaseSync): boolean {
  return database.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] === 0;
}
