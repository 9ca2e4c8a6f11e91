// Moves the write-ahead log into the SQLite file once nothing has been written for a moment, so that copying
// `sluice.db` alone is a backup, and a lost log costs seconds of changes and not days of them. SQLite itself
// would do so after 1,000 pages only, in the middle of a change. A short log is moved here: that takes no
// longer than a change. A long one is moved by another thread first, and only what came meanwhile is left to
// do here. Nothing waits for it, and nothing fails by it: while others read, or the disk is full, it is tried
// again later. The file gets its seal (file-seal.ts) here, because only here it is known to rest.

import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { breakSeal, dropSeal, seal } from './file-seal.ts';
import { databaseTrouble } from '#platform/sqlite';

export interface IdleCheckpointOptions {
  readonly database: DatabaseSync;
  readonly databasePath: string;
  /** Moves what it can in another thread; without it, a long log is moved here. */
  readonly moveElsewhere?: (() => Promise<void>) | undefined;
  /** Called when all of the log is in the file. */
  readonly onMoved: () => void;
  /** The file is damaged. */
  readonly onBroken: () => void;
}

/** What must be on for every connection that writes: each checkpoint goes through this file. */
export const noOwnCheckpoints = 'pragma wal_autocheckpoint = 0';

const idleMs = 2_000;
/** Somebody who writes every second must not put it off for ever. */
const latestMs = 30_000;
/** While others read the database, or the disk is full. */
const againMs = 5_000;
/** 64 pages: about what a change of some size writes itself. */
const shortLogBytes = 270_000;
/** 1,000 pages: moved at once. */
const longLogBytes = 4_120_000;
/** At the end: requests that are still under way may write while the file gets its seal. */
const lastTries = 3;

export class IdleCheckpoint {
  readonly #options: IdleCheckpointOptions;
  #idle: NodeJS.Timeout | undefined;
  #latest: NodeJS.Timeout | undefined;
  #moving: Promise<boolean> | undefined;
  /** Something may have been written since the log was moved, or while it was. */
  #isBehind = false;
  #hasSeal = true;
  #isClosed = false;

  constructor(options: IdleCheckpointOptions) {
    this.#options = options;
  }

  /** Something is about to be written: from then on the file may change at any time. */
  beforeWrite(): void {
    this.#isBehind = true;
    if (this.#hasSeal) this.#hasSeal = !dropSeal(this.#options.databasePath);
  }

  /** Something was written. */
  written(): void {
    this.#isBehind = true;
    if (this.#isClosed || this.#moving !== undefined) return;
    if (this.#logBytes() >= longLogBytes) this.#start();
    else this.#arm();
  }

  /** Moves what is left. The file gets no seal when writes do not cease. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#disarm();
    await this.#moving;
    for (let tries = 0; this.#isBehind && tries < lastTries; tries++) await this.#move();
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
      if (!isMoved) this.#idle ??= this.#after(againMs);
      else if (this.#isBehind) this.#arm();
    });
  }

  /** False when it is to be tried again. */
  async #move(): Promise<boolean> {
    const { database, databasePath, moveElsewhere, onMoved, onBroken } = this.#options;
    try {
      await breakSeal(databasePath);
      if (moveElsewhere !== undefined && !this.#isClosed && this.#logBytes() > shortLogBytes)
        await moveElsewhere();
      if (database.isTransaction || !emptyLog(database)) return false;
      this.#isBehind = false;
      this.#hasSeal = true;
      await seal(databasePath, () => this.#isBehind);
      onMoved();
      return true;
    } catch (error) {
      if (databaseTrouble(error) === 'damaged') onBroken();
      return false;
    }
  }

  #logBytes(): number {
    return statSync(`${this.#options.databasePath}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }
}

/**
 * False while others read. Truncated, not only moved: frames that stay in the log count again after a crash,
 * and one damaged among them would put older pages over newer ones.
 */
function emptyLog(database: DatabaseSync): boolean {
  return database.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] === 0;
}
