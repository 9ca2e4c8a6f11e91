// Losses: changes that were stored and are now missing. Each is a diagnosis message that stays until a user
// deletes it; until then, health is degraded. The message is written before the high-water mark is lowered,
// so that after a crash in between the next start reports the loss again.

import type { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import type { MessageBoard } from './messages.ts';
import type { Tables } from './schema.ts';
import { isSqliteError } from '#platform/sqlite';

const topic = 'loss';

/** Copies up to this number were made before the loss. Dates would not do, because the clock may be wrong. */
const keyOf = (nowMs: number, lastCopy: number): string =>
  `${new Date(nowMs).toISOString()} after copy ${lastCopy}`;

/** For each loss that no user has acknowledged, the number of the last copy before it. */
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

  /** All losses that no user has acknowledged. */
  get text(): string | undefined {
    const all = [...this.#written, ...this.#unwritten];
    return all.length === 0 ? undefined : all.join(' ');
  }

  /** False when it could not be written: then it is reported only until this process ends. */
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
      // A full disk, or no table `messages`: the log has the loss, and health shows it while this process
      // runs.
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

  /** A message board on which deleting the message of a loss acknowledges it. */
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
