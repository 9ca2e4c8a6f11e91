// The one door through which every entity is written: `change(actor, work)` is a transaction, the revisions
// of what it changed, and the event for the rest of the program. Audit, undo, the read model and live events
// all follow from these records, so nothing writes an entity in another way. Secrets never reach a revision:
// what records one puts a mask in its place, and passwords in addresses of lists are masked when revisions
// are written. Changes run one after the other: in the work of one the read model is as the database is, so
// what has a limit is counted there.

import type { Kysely, Transaction } from 'kysely';
import { limits } from '#contract';
import type { Tables } from './schema.ts';
import { refusalOf, type StorageRefusal } from './storage-trouble.ts';
import { writeRevisions } from './write-revisions.ts';

/** Who changes something, as it stands in the revisions: `local`, `first start`, a session. */
export type Actor = string;

export interface Changed {
  readonly entity: 'group' | 'domain' | 'list' | 'client' | 'pause' | 'setting' | 'app';
  readonly key: string;
  /** Null before a creation, and after a deletion. Never a secret. */
  readonly before: unknown;
  readonly after: unknown;
  /** What the service found out by itself: subscribers get it, and no revision is written. */
  readonly isReport?: true;
}

export interface ChangeScope {
  readonly db: Transaction<Tables>;
  readonly nowMs: number;
  readonly record: (changed: Changed) => void;
  /** Takes back everything that this change has written; the caller still gets the value of the work. */
  readonly abandon: () => void;
}

export type ChangeOutcome<T> = ChangeDone<T> | ChangeRefused;

interface ChangeDone<T> {
  readonly ok: true;
  readonly value: T;
  /** The number of the change; nothing when it has written no revision. */
  readonly version: number | undefined;
}

export interface ChangeRefused extends StorageRefusal {
  readonly ok: false;
}

/**
 * The one way to write entities. Every backend promises the following; `testing/store/behaviour.ts` tests it.
 *
 * - Atomic: everything that the work wrote and recorded is stored, or nothing, when the work throws, abandons
 *   it, or storage refuses. An error of the work reaches the caller; trouble with storage is a value.
 * - Durable: when it is acknowledged with `ok`, it survives the end of the process and a loss of power.
 * - Numbered: each change that writes revisions has the next version, without a gap, and all its revisions
 *   have it. Versions go on after a restart, and when old revisions are dropped.
 * - Published: the read model and then the subscribers, in the order of their subscription, are called with
 *   what is stored, in the order of the versions, before the caller continues.
 * - One at a time: the work of a change sees all earlier changes, in the database and in the read model, and
 *   no other runs beside it.
 * - Bounded: `limits.waitingChanges` may wait; one more is refused as `busy` at once, without running its
 *   work.
 */
export interface Change {
  <T>(actor: Actor, work: (scope: ChangeScope) => Promise<T>): Promise<ChangeOutcome<T>>;
}

/** What subscribers are called with. */
export type ChangeListener = (changes: readonly Changed[], version: number | undefined) => void;

export interface ChangeOptions {
  readonly db: Kysely<Tables>;
  readonly nowMs: () => number;
  /** Called after the transaction is on the disk, before the caller continues. */
  readonly onChanged: ChangeListener;
}

const busy: ChangeRefused = { ok: false, trouble: 'busy', problem: 'Too many changes are waiting.' };

export function createChange(options: ChangeOptions): Change {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return (actor, work) => {
    if (waiting >= limits.waitingChanges) return Promise.resolve(busy);
    waiting++;
    const turn = last.then(() => runChange(options, actor, work)).finally(() => waiting--);
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function runChange<T>(
  { db, nowMs, onChanged }: ChangeOptions,
  actor: Actor,
  work: (scope: ChangeScope) => Promise<T>,
): Promise<ChangeOutcome<T>> {
  const changes: Changed[] = [];
  try {
    const stored = await db.transaction().execute((transaction) => {
      const record = (changed: Changed): unknown => changes.push(changed);
      return writeAll({ db: transaction, nowMs: nowMs(), record }, actor, work, changes);
    });
    if (changes.length > 0) onChanged(changes, stored.version);
    return { ok: true, ...stored };
  } catch (error) {
    // Only `writeAll` of this call throws one, with the value of its work.
    if (error instanceof Abandoned) return { ok: true, value: error.value as T, version: undefined };
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { ok: false, ...refusal };
  }
}

async function writeAll<T>(
  scope: Omit<ChangeScope, 'abandon'>,
  actor: Actor,
  work: (scope: ChangeScope) => Promise<T>,
  changes: readonly Changed[],
): Promise<Omit<ChangeDone<T>, 'ok'>> {
  let isAbandoned = false;
  const value = await work({ ...scope, abandon: () => (isAbandoned = true) });
  if (isAbandoned) throw new Abandoned(value);
  const revised = changes.filter(({ isReport }) => isReport !== true);
  return { value, version: await writeRevisions(scope.db, actor, scope.nowMs, revised) };
}

/** Rolls the transaction back. */
class Abandoned extends Error {
  readonly value: unknown;

  constructor(value: unknown) {
    super('The change was abandoned.');
    this.value = value;
  }
}
