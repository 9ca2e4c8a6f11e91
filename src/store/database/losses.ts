// Changes that were stored and are missing, as diagnosis messages that stay until a person has deleted them;
// for as long, health is degraded. They are written before the mark of the last change is lowered: whatever
// ends the service in between, the loss is said again.

import type { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import type { MessageBoard } from './messages.ts';
import type { Tables } from './schema.ts';
import { isSqliteError } from '#platform/sqlite';

const topic = 'loss';

/** What a loss is known by. Copies up to this number were made before it; a clock could be wrong. */
const keyOf = (nowMs: number, lastCopy: number): string =>
  `${new Date(nowMs).toISOString()} after copy ${lastCopy}`;

/** The number of the last copy before each loss that no person has acknowledged. */
export function copiesBeforeLosses(database: DatabaseSync): readonly number[] {
  const rows = database.prepare('select key from messages where topic = ?').all(topic);
  return rows.flatMap(({ key }) => {
    const found = / after copy (\d{1,10})$/.exec(String(key))?.[1];
    return found === undefined ? [] : [Number(found)];
  });
}

export class Losses {
  readonly #db: Kysely<Tables>;
  #unwritten: readonly string[] = [];
  #written: readonly string[] = [];

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** All that nobody has acknowledged. */
  get text(): string | undefined {
    const all = [...this.#written, ...this.#unwritten];
    return all.length === 0 ? undefined : all.join(' ');
  }

  /** False when it could not be written: then it is known until the end of the process only. */
  async record(plain: string, nowMs: number, lastCopy: number): Promise<boolean> {
    const key = keyOf(nowMs, lastCopy);
    try {
      const row = { at_ms: nowMs, type: 'DISK', topic, key, plain };
      await this.#db
        .insertInto('messages')
        .values(row)
        .onConflict((conflict) => conflict.columns(['topic', 'key']).doUpdateSet({ plain }))
        .execute();
      return true;
    } catch (error) {
      // A full disk, or no table of messages: the log has it, and health for as long as this process runs.
      if (!isSqliteError(error)) throw error;
      this.#unwritten = [...this.#unwritten, plain];
      return false;
    }
  }

  async refresh(): Promise<void> {
    const rows = this.#db.selectFrom('messages').select('plain').where('topic', '=', topic).execute();
    const texts = rows.then((all) => all.map(({ plain }) => plain));
    this.#written = await texts.catch(() => this.#written);
  }

  /** Deleting the message acknowledges the loss. */
  watching(board: MessageBoard): MessageBoard {
    return {
      ...board,
      remove: async (ids) => {
        const removed = await board.remove(ids);
        await this.refresh();
        return removed;
      },
    };
  }
}
