// The one door through which every entity is written: `change(actor, work)` is a transaction, the revisions
// of what it changed, and the event that tells the rest of the program. Audit, undo, the read model and live
// events all live off these records, so nothing writes an entity beside this door. Secrets never reach a
// revision: whoever records one puts a mask in its place, and passwords in addresses of lists are masked
// here. Changes go one after the other, each to its end: in the work of one the read model is as the database
// is, so what has a limit is counted there.

import type { Kysely, Transaction } from 'kysely';
import { limits } from '#contract';
import { maskedAddress } from './masked-address.ts';
import type { Tables } from './schema.ts';
import { databaseTrouble, troubleText, type DatabaseTrouble } from '#platform/sqlite';

/** Who changes something, as it stands in the revisions: `local`, `first start`, a session. */
export type Actor = string;

export interface Changed {
  readonly entity: 'group' | 'domain' | 'list' | 'client' | 'pause' | 'setting' | 'app';
  readonly key: string;
  /** Null before a creation, and after a deletion. Never a secret. */
  readonly before: unknown;
  readonly after: unknown;
  /** What the service found out by itself: told to everybody, but nobody's change and in no revision. */
  readonly isReport?: true;
}

export interface ChangeScope {
  readonly db: Transaction<Tables>;
  readonly nowMs: number;
  readonly record: (changed: Changed) => void;
}

export type ChangeOutcome<T> = { readonly ok: true; readonly value: T } | ChangeRefused;

export interface ChangeRefused {
  readonly ok: false;
  /** `busy`: more wait than may. */
  readonly trouble: DatabaseTrouble | 'busy';
  readonly problem: string;
}

export type Change = <T>(actor: Actor, work: (scope: ChangeScope) => Promise<T>) => Promise<ChangeOutcome<T>>;

export interface ChangeOptions {
  readonly db: Kysely<Tables>;
  readonly nowMs: () => number;
  /** Called after the transaction is on the disk, before the caller hears of it. */
  readonly onChanged: (changes: readonly Changed[]) => void;
}

const busy: ChangeRefused = { ok: false, trouble: 'busy', problem: 'Too many changes are waiting.' };

export const createChange = ({ db, nowMs, onChanged }: ChangeOptions): Change => {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const run: Change = async (actor, work) => {
    const changes: Changed[] = [];
    const now = nowMs();
    try {
      const value = await db.transaction().execute(async (transaction) => {
        const result = await work({
          db: transaction,
          nowMs: now,
          record: (changed) => changes.push(changed),
        });
        // More than are kept would push each other out again at once.
        const revised = changes.filter(({ isReport }) => isReport !== true).slice(-limits.revisionCount);
        await writeRevisions(transaction, actor, now, revised);
        return result;
      });
      if (changes.length > 0) onChanged(changes);
      return { ok: true, value };
    } catch (error) {
      const trouble = databaseTrouble(error);
      if (trouble === undefined) throw error;
      return { ok: false, trouble, problem: troubleText(error) };
    }
  };
  return (actor, work) => {
    if (waiting >= limits.waitingChanges) return Promise.resolve(busy);
    waiting++;
    const turn = last.then(() => run(actor, work)).finally(() => waiting--);
    last = turn.catch(() => undefined);
    return turn;
  };
};

const rowsPerInsert = 500;

const writeRevisions = async (
  db: Transaction<Tables>,
  actor: Actor,
  nowMs: number,
  changes: readonly Changed[],
): Promise<void> => {
  for (let start = 0; start < changes.length; start += rowsPerInsert) {
    const rows = changes.slice(start, start + rowsPerInsert).map(({ entity, key, before, after }) => ({
      at_ms: nowMs,
      actor,
      entity,
      key,
      before: before === null ? null : revisionText(entity, before),
      after: after === null ? null : revisionText(entity, after),
    }));
    await db.insertInto('revisions').values(rows).execute();
  }
  if (changes.length > 0) await dropOldRevisions(db, nowMs);
};

const revisionText = (entity: Changed['entity'], item: unknown): string =>
  entity === 'list' ? JSON.stringify(item, withoutPassword) : JSON.stringify(item);

const withoutPassword = (name: string, value: unknown): unknown =>
  name === 'address' && typeof value === 'string' ? maskedAddress(value) : value;

const dropOldRevisions = async (db: Transaction<Tables>, nowMs: number): Promise<void> => {
  const newest = await db
    .selectFrom('revisions')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst();
  const lastKept = (newest?.id ?? 0) - limits.revisionCount;
  await db.deleteFrom('revisions').where('id', '<=', lastKept).execute();
  await db
    .deleteFrom('revisions')
    .where('at_ms', '<', nowMs - limits.revisionDays * 86_400_000)
    .execute();
};
