// What keeps the SQLite file safe between changes: the mark of the last change after each write, and the
// checkpoint once nothing has been written for a moment. It belongs to the file and hears of writes from its
// connection; nothing above the connection knows of it.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { HighWaterMark } from './high-water-mark.ts';
import { IdleCheckpoint, type IdleCheckpointOptions } from './idle-checkpoint.ts';
import { lastChangeOf, sayThatMarkIsKept } from './last-change.ts';

export type FileKeeperOptions = Omit<IdleCheckpointOptions, 'onMoved'> & { readonly dataDir: string };

export class FileKeeper {
  readonly #database: DatabaseSync;
  readonly #mark: HighWaterMark;
  readonly #checkpoint: IdleCheckpoint;
  #lastChange: StatementSync | undefined;

  constructor({ dataDir, ...options }: FileKeeperOptions) {
    this.#database = options.database;
    this.#mark = new HighWaterMark(dataDir);
    this.#checkpoint = new IdleCheckpoint({ ...options, onMoved: () => this.#mark.sync() });
  }

  /** What the service should know of: the mark cannot be written. */
  get problem(): string | undefined {
    return this.#mark.problem;
  }

  /** The file is open, its tables are there, and a loss, if there was one, is recorded in it. */
  begin(): void {
    this.#lastChange = lastChangeOf(this.#database);
    this.#mark.begin(this.#last());
    sayThatMarkIsKept(this.#database);
    // What an end by force has left in the log.
    this.#checkpoint.written();
  }

  /** To be called after each write, when it is on the disk. */
  written(): void {
    if (this.#lastChange === undefined) return;
    this.#mark.advance(this.#last());
    this.#checkpoint.written();
  }

  /** Soon, as after a write. */
  checkpointSoon(): void {
    this.#checkpoint.written();
  }

  async close(): Promise<void> {
    await this.#checkpoint.close();
    this.#lastChange = undefined;
    this.#mark.close();
  }

  #last(): number {
    return Number(this.#lastChange?.get()?.['last'] ?? 0);
  }
}
