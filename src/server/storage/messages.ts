// Diagnosis messages: situations that a person should know of, each once and for as long as it lasts. A
// situation is named by its topic and a key within it; the same again replaces what was said before. They are
// no entities: no revision is written, and whoever has read one may delete it.

import type { Kysely } from 'kysely';
import { limits } from '#contract';
import type { Change, ChangeRefused } from './change.ts';
import type { Tables } from './schema.ts';

/** As existing clients know them. */
type MessageType = 'LIST' | 'DISK';

interface Message {
  readonly id: number;
  readonly atMs: number;
  readonly type: string;
  readonly plain: string;
}

export interface MessageBoard {
  /** Newest last. */
  readonly list: () => Promise<readonly Message[]>;
  readonly count: () => Promise<number>;
  /** The same text about the same situation changes nothing. */
  readonly put: (topic: string, key: string, type: MessageType, plain: string) => Promise<void>;
  readonly clear: (topic: string, key: string) => Promise<void>;
  /** Other situations of the topic are over. */
  readonly keepOnly: (topic: string, keys: readonly string[]) => Promise<void>;
  /** How many there were; not a number when the database cannot be written. */
  readonly remove: (ids: readonly number[]) => Promise<number | ChangeRefused>;
}

const actor = 'diagnosis';

export const createMessageBoard = (
  db: Kysely<Tables>,
  change: Change,
  onChanged: (count: number) => void,
): MessageBoard => {
  const count = async (): Promise<number> => {
    const { number } = await db
      .selectFrom('messages')
      .select(({ fn }) => fn.countAll<number>().as('number'))
      .executeTakeFirstOrThrow();
    return number;
  };
  /** Nobody waits for a message that the disk does not take: the situation is logged as well. */
  const write = async (work: (transaction: Kysely<Tables>, nowMs: number) => Promise<boolean>) => {
    const outcome = await change(actor, ({ db: transaction, nowMs }) => work(transaction, nowMs));
    if (outcome.ok && outcome.value) onChanged(await count());
  };
  return {
    list: () => listMessages(db),
    count,
    put: (topic, key, type, plain) => write((scope, nowMs) => put(scope, { topic, key, type, plain }, nowMs)),
    clear: (topic, key) =>
      write(async (scope) => {
        const gone = scope.deleteFrom('messages').where('topic', '=', topic).where('key', '=', key);
        return (await gone.executeTakeFirst()).numDeletedRows > 0n;
      }),
    keepOnly: (topic, keys) =>
      write(async (scope) => {
        const all = scope.deleteFrom('messages').where('topic', '=', topic);
        const gone = keys.length === 0 ? all : all.where('key', 'not in', keys);
        return (await gone.executeTakeFirst()).numDeletedRows > 0n;
      }),
    remove: async (ids) => {
      const outcome = await change(actor, async ({ db: transaction }) => {
        const gone = transaction.deleteFrom('messages').where('id', 'in', [...ids]);
        return Number((await gone.executeTakeFirst()).numDeletedRows);
      });
      if (!outcome.ok) return outcome;
      if (outcome.value > 0) onChanged(await count());
      return outcome.value;
    },
  };
};

const listMessages = async (db: Kysely<Tables>): Promise<readonly Message[]> => {
  const rows = await db.selectFrom('messages').selectAll().orderBy('id').limit(limits.messages).execute();
  return rows.map(({ id, at_ms, type, plain }) => ({ id, atMs: at_ms, type, plain }));
};

interface Situation {
  readonly topic: string;
  readonly key: string;
  readonly type: MessageType;
  readonly plain: string;
}

/** Whether anything has changed. */
const put = async (db: Kysely<Tables>, message: Situation, nowMs: number): Promise<boolean> => {
  const { topic, key, plain } = message;
  const same = db.selectFrom('messages').select('plain').where('topic', '=', topic).where('key', '=', key);
  if ((await same.executeTakeFirst())?.plain === plain) return false;
  await db.deleteFrom('messages').where('topic', '=', topic).where('key', '=', key).execute();
  await db
    .insertInto('messages')
    .values({ ...message, at_ms: nowMs })
    .execute();
  await dropOldest(db);
  return true;
};

const dropOldest = async (db: Kysely<Tables>): Promise<void> => {
  const kept = await db
    .selectFrom('messages')
    .select('id')
    .orderBy('id', 'desc')
    .offset(limits.messages - 1)
    .limit(1)
    .executeTakeFirst();
  if (kept !== undefined) await db.deleteFrom('messages').where('id', '<', kept.id).execute();
};
