// What keeps the SQLite file safe between changes: the mark of the last change after each write, and the
// checkpoint once nothing has been written for a moment. It belongs to the file and hears of writes from its
// connection; nothing above the connection knows of it.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { HighWaterMark } from './high-water-mark.ts';
import { IdleCheckpoint, type IdleCheckpointOptions } from './idle-checkpoint.ts';
import { lastChangeOf, sayThatMarkIsKept } from './last-change.ts';

export interface FileKeeperOptions extends Omit<IdleCheckpointOptions, 'onMoved'> {
  readonly dataDir: string;
  /** The file is other than its seal says. */
  readonly isOther: boolean;
}

export class FileKeeper {
  readonly #database: DatabaseSync;
  readonly #mark: HighWaterMark;
  readonly #checkpoint: IdleCheckpoint;
  /** The seal tells of damage, and is all that does until the loss is recorded in the database. */
  #needsSeal: boolean;
  #lastChange: StatementSync | undefined;

  constructor({ dataDir, isOther, ...options }: FileKeeperOptions) {
    this.#database = options.database;
    this.#needsSeal = isOther;
    this.#mark = new HighWaterMark(dataDir);
    this.#checkpoint = new IdleCheckpoint({ ...options, onMoved: () => this.#mark.sync() });
  }

  /** What the service should know of: the mark cannot be written. */
  get problem(): string | undefined {
    return this.#mark.problem;
  }

  /** The file is open, its tables are there, and a loss, if there was one, is recorded in it. */
  begin(): void {
    this.#needsSeal = false;
    this.beforeWrite();
    this.#lastChange = lastChangeOf(this.#database);
    this.#mark.begin(this.#last());
    sayThatMarkIsKept(this.#database);
    // What an end by force has left in the log.
    this.#checkpoint.written();
  }

  beforeWrite(): void {
    if (!this.#needsSeal) this.#checkpoint.beforeWrite();
  }

  /** To be called after each write, when it is on the disk. */
  written(): void {
    if (this.#lastChange === undefined) return;
    this.#mark.advance(this.#last());
    this.#checkpoint.written();
  }

  /** Soon, as after a write. */
  checkpointSoon(): void {
    if (this.#lastChange !== undefined) this.#checkpoint.written();
  }

  async close(): Promise<void> {
    // Without a beginning the loss is not recorded: a new seal would hide it.
    if (this.#lastChange !== undefined) await this.#checkpoint.close();
    this.#lastChange = undefined;
    this.#mark.close();
  }

  #last(): number {
    return Number(this.#lastChange?.get()?.['last'] ?? 0);
  }
}
