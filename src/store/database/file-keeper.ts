// Keeps the SQLite file safe between changes: it updates the high-water mark after each write, and starts a
// checkpoint when nothing has been written for a moment. The database driver calls it before and after each
// write; the code above the driver does not know it.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { HighWaterMark } from './high-water-mark.ts';
import { IdleCheckpoint, type IdleCheckpointOptions } from './idle-checkpoint.ts';
import { lastChangeOf, flagHighWaterMark } from './last-change.ts';

export interface FileKeeperOptions extends Omit<IdleCheckpointOptions, 'onMoved'> {
  readonly dataDir: string;
  /** The file does not match its seal. */
  readonly isModifiedOutside: boolean;
}

export class FileKeeper {
  readonly #database: DatabaseSync;
  readonly #mark: HighWaterMark;
  readonly #checkpoint: IdleCheckpoint;
  /** The violated seal is the only evidence of damage until the loss is recorded in the database. */
  #needsSeal: boolean;
  #lastChange: StatementSync | undefined;

  constructor({ dataDir, isModifiedOutside, ...options }: FileKeeperOptions) {
    this.#database = options.database;
    this.#needsSeal = isModifiedOutside;
    this.#mark = new HighWaterMark(dataDir);
    this.#checkpoint = new IdleCheckpoint({ ...options, onMoved: () => this.#mark.sync() });
  }

  /** Why the high-water mark cannot be written. */
  get problem(): string | undefined {
    return this.#mark.problem;
  }

  /** Call it when the tables exist and a loss, if there was one, is recorded in the database. */
  begin(): void {
    this.#needsSeal = false;
    this.beforeWrite();
    this.#lastChange = lastChangeOf(this.#database);
    this.#mark.begin(this.#last());
    flagHighWaterMark(this.#database);
    // The log may still contain changes if the service was killed.
    this.#checkpoint.written();
  }

  beforeWrite(): void {
    if (!this.#needsSeal) this.#checkpoint.beforeWrite();
  }

  /** Call it after each write, when it is on the disk. */
  written(): void {
    if (this.#lastChange === undefined) return;
    this.#mark.advance(this.#last());
    this.#checkpoint.written();
  }

  /** Schedules a checkpoint, as a write does. */
  checkpointSoon(): void {
    if (this.#lastChange !== undefined) this.#checkpoint.written();
  }

  async close(): Promise<void> {
    // If `begin` was not called, the loss is not recorded, and a new seal would hide it.
    if (this.#lastChange !== undefined) await this.#checkpoint.close();
    this.#lastChange = undefined;
    this.#mark.close();
  }

  #last(): number {
    return Number(this.#lastChange?.get()?.['last'] ?? 0);
  }
}
