// `change(actor, work)` is the only way to write entities. It runs the work in a transaction, writes the
// revisions of what the work changed, and publishes the change to the rest of the program. Audit, undo, the
// read model and live events all rely on these records. Secrets never reach a revision: code that records a
// secret replaces it by a mask, and passwords in addresses of lists are masked when revisions are written.
// Changes run one after the other. While the work of a change runs, the read model matches the database, so
// the work checks limits against it.

import type { Kysely, Transaction } from 'kysely';
import { limits, type EntityName } from '#contract';
import type { Tables } from './schema.ts';
import { refusalOf, type StorageRefusal } from './storage-trouble.ts';
import { writeRevisions } from './write-revisions.ts';
import { SerialQueue } from '#platform/tasks';

/** Who made the change, as revisions show it: `local`, `first start`, a session. */
export type Actor = string;

export interface Changed {
  readonly entity: EntityName | 'pause' | 'setting' | 'app';
  readonly key: string;
  /** Null before a creation, and after a deletion. Never a secret. */
  readonly before: unknown;
  readonly after: unknown;
  /** A finding of the service, not a change by a user: it is published, but no revision is written. */
  readonly isReport?: true;
}

export interface ChangeScope {
  readonly db: Transaction<Tables>;
  readonly nowMs: number;
  readonly record: (changed: Changed) => void;
  /** Rolls back everything that this change has written; the caller still gets the value of the work. */
  readonly abandon: () => void;
}

export type ChangeOutcome<T> = ChangeDone<T> | ChangeRefused;

interface ChangeDone<T> {
  readonly ok: true;
  readonly value: T;
  /** The number of the change; undefined when it has written no revision. */
  readonly version: number | undefined;
}

export interface ChangeRefused extends StorageRefusal {
  readonly ok: false;
}

/**
 * The only way to write entities. Every backend guarantees the following; `testing/store/behaviour.ts` tests
 * it.
 *
 * - Atomic: everything that the work wrote and recorded is stored. If the work throws or calls `abandon`, or
 *   storage refuses, nothing is stored. An error of the work reaches the caller; trouble with storage is a
 *   value.
 * - Durable: a change that was acknowledged with `ok` survives the end of the process and a power failure.
 * - Numbered: each change that writes revisions gets the next version, without a gap, and all its revisions
 *   have this version. Numbering continues after a restart, and when old revisions are deleted.
 * - Published: the read model and then the subscribers, in the order of their subscription, are called with
 *   the stored changes, in the order of the versions, before the caller continues.
 * - One at a time: the work of a change sees all earlier changes, in the database and in the read model, and
 *   no other change runs at the same time.
 * - Bounded: `limits.waitingChanges` may wait; one more is refused as `busy` at once, without running its
 *   work.
 */
export interface Change {
  <T>(actor: Actor, work: (scope: ChangeScope) => Promise<T>): Promise<ChangeOutcome<T>>;
}

/** Called with the changes of one transaction and its version. */
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
  const queue = new SerialQueue();
  return (actor, work) => {
    if (waiting >= limits.waitingChanges) return Promise.resolve(busy);
    waiting++;
    return queue.run(() => runChange(options, actor, work).finally(() => waiting--));
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
    // Only `writeAll` of this call throws `Abandoned`, with the value of its work.
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
