// Diagnosis messages report situations to the user: one message per situation, for as long as it lasts. A
// situation is identified by its topic and a key within the topic; a new message about it replaces the old
// one. Messages are not entities: no revision is written, and the user may delete them. A message that cannot
// be written is kept in memory, because a full disk must be reported, too.

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
  /** Has no effect when the situation already has this text. */
  readonly put: (topic: string, key: string, type: MessageType, plain: string) => Promise<void>;
  readonly clear: (topic: string, key: string) => Promise<void>;
  /** Clears all situations of the topic except these. */
  readonly keepOnly: (topic: string, keys: readonly string[]) => Promise<void>;
  /** Returns how many messages were removed, or why the database cannot be written. */
  readonly remove: (ids: readonly number[]) => Promise<number | ChangeRefused>;
}

const actor = 'diagnosis';

export function createMessageBoard(
  db: Kysely<Tables>,
  change: Change,
  onChanged: (count: number) => void,
  nowMs: () => number,
): MessageBoard {
  const unwritten = new UnwrittenMessages(nowMs);
  const list = async (): Promise<readonly Message[]> => unwritten.mergedWith(await listMessages(db));
  const count = async (): Promise<number> => (unwritten.isEmpty ? countMessages(db) : (await list()).length);
  /** Never fails: what cannot be written to the database is kept in memory. */
  const write = async (
    work: (transaction: Kysely<Tables>, atMs: number) => Promise<boolean>,
    inMemory: (isWritten: boolean) => boolean,
  ): Promise<void> => {
    const outcome = await change(actor, ({ db: transaction, nowMs: atMs }) => work(transaction, atMs));
    const isChanged = inMemory(outcome.ok);
    if (isChanged || (outcome.ok && outcome.value)) onChanged(await count());
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
}

const isSame =
  (topic: string, key: string) =>
  (one: Situation): boolean =>
    one.topic === topic && one.key === key;

async function removeStored(change: Change, ids: readonly number[]): Promise<number | ChangeRefused> {
  const outcome = await change(actor, async ({ db }) => {
    const gone = db.deleteFrom('messages').where('id', 'in', [...ids]);
    return Number((await gone.executeTakeFirst()).numDeletedRows);
  });
  return outcome.ok ? outcome.value : outcome;
}

async function countMessages(db: Kysely<Tables>): Promise<number> {
  const { number } = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('number'))
    .executeTakeFirstOrThrow();
  return number;
}

async function listMessages(db: Kysely<Tables>): Promise<readonly SituatedMessage[]> {
  const rows = await db.selectFrom('messages').selectAll().orderBy('id').limit(limits.messages).execute();
  return rows.map(({ at_ms, ...row }) => ({ ...row, atMs: at_ms }));
}

/** True when the message was new or different. */
async function put(db: Kysely<Tables>, message: Situation, nowMs: number): Promise<boolean> {
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
}

async function dropOldest(db: Kysely<Tables>): Promise<void> {
  const kept = await db
    .selectFrom('messages')
    .select('id')
    .orderBy('id', 'desc')
    .offset(limits.messages - 1)
    .limit(1)
    .executeTakeFirst();
  if (kept !== undefined) await db.deleteFrom('messages').where('id', '<', kept.id).execute();
}
