// Diagnosis messages: situations that a person should know of, each once and for as long as it lasts. A
// situation is named by its topic and a key within it; the same again replaces what was said before. They are
// no entities: no revision is written, and whoever has read one may delete it. What the disk does not take is
// kept in memory: a full disk must be shown, too.

import type { Kysely } from 'kysely';
import { limits } from '#contract';
import type { Change, ChangeRefused } from './change.ts';
import type { Tables } from './schema.ts';
import {
  isUnwrittenId,
  UnwrittenMessages,
  type Message,
  type Situation,
  type MessageType,
  type SituatedMessage,
} from './unwritten-messages.ts';

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
  nowMs: () => number,
): MessageBoard => {
  const unwritten = new UnwrittenMessages(nowMs);
  const list = async (): Promise<readonly Message[]> => unwritten.joinedTo(await listMessages(db));
  const count = async (): Promise<number> => (unwritten.isEmpty ? countMessages(db) : (await list()).length);
  /** Nobody waits for a message that the disk does not take: it is kept in memory. */
  const write = async (
    work: (transaction: Kysely<Tables>, atMs: number) => Promise<boolean>,
    inMemory: (isWritten: boolean) => boolean,
  ): Promise<void> => {
    const outcome = await change(actor, ({ db: transaction, nowMs: atMs }) => work(transaction, atMs));
    const isOther = inMemory(outcome.ok);
    if (isOther || (outcome.ok && outcome.value)) onChanged(await count());
  };
  return {
    list,
    count,
    put: (topic, key, type, plain) => {
      const situation = { topic, key, type, plain };
      return write(
        (scope, atMs) => put(scope, situation, atMs),
        (isWritten) => (isWritten ? unwritten.forget(isSame(topic, key)) : unwritten.put(situation)),
      );
    },
    clear: (topic, key) =>
      write(
        async (scope) => {
          const gone = scope.deleteFrom('messages').where('topic', '=', topic).where('key', '=', key);
          return (await gone.executeTakeFirst()).numDeletedRows > 0n;
        },
        () => unwritten.forget(isSame(topic, key)),
      ),
    keepOnly: (topic, keys) =>
      write(
        async (scope) => {
          const all = scope.deleteFrom('messages').where('topic', '=', topic);
          const gone = keys.length === 0 ? all : all.where('key', 'not in', keys);
          return (await gone.executeTakeFirst()).numDeletedRows > 0n;
        },
        () => unwritten.forget((one) => one.topic === topic && !keys.includes(one.key)),
      ),
    remove: async (ids) => {
      const forgotten = unwritten.remove(ids);
      const stored = ids.filter((id) => !isUnwrittenId(id));
      const removed = stored.length === 0 ? 0 : await removeStored(change, stored);
      if (typeof removed !== 'number') return removed;
      if (removed + forgotten > 0) onChanged(await count());
      return removed + forgotten;
    },
  };
};

const isSame =
  (topic: string, key: string) =>
  (one: Situation): boolean =>
    one.topic === topic && one.key === key;

const removeStored = async (change: Change, ids: readonly number[]): Promise<number | ChangeRefused> => {
  const outcome = await change(actor, async ({ db }) => {
    const gone = db.deleteFrom('messages').where('id', 'in', [...ids]);
    return Number((await gone.executeTakeFirst()).numDeletedRows);
  });
  return outcome.ok ? outcome.value : outcome;
};

const countMessages = async (db: Kysely<Tables>): Promise<number> => {
  const { number } = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('number'))
    .executeTakeFirstOrThrow();
  return number;
};

const listMessages = async (db: Kysely<Tables>): Promise<readonly SituatedMessage[]> => {
  const rows = await db.selectFrom('messages').selectAll().orderBy('id').limit(limits.messages).execute();
  return rows.map(({ at_ms, ...row }) => ({ ...row, atMs: at_ms }));
};

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
