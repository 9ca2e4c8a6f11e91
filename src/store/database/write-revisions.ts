// Writes the revisions of a change inside its transaction: one row per item, or one restore point when there
// are many items. All rows of a change have its version, and they are deleted together when they are too old
// or too many.

import type { Transaction } from 'kysely';
import { limits } from '#contract';
import { maskedAddress } from './masked-address.ts';
import { countEntities, packItems, type RevisedText } from './restore-point.ts';
import type { Tables } from './schema.ts';
import { nextVersion } from './version-counter.ts';

/** The columns that all rows of a change have in common. */
interface Heading {
  readonly version: number;
  readonly at_ms: number;
  readonly actor: string;
}

export interface Revised {
  readonly entity: string;
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns the version of the change; undefined when there is nothing to record. */
export async function writeRevisions(
  db: Transaction<Tables>,
  actor: string,
  nowMs: number,
  items: readonly Revised[],
): Promise<number | undefined> {
  if (items.length === 0) return undefined;
  const version = await nextVersion(db);
  const heading = { version, at_ms: nowMs, actor };
  if (items.length > limits.revisionsPerChange) await writeRestorePoint(db, heading, items);
  else await writeRows(db, heading, items);
  await dropOldRevisions(db, nowMs);
  return version;
}

const rowsPerInsert = 500;

async function writeRows(
  db: Transaction<Tables>,
  heading: Heading,
  items: readonly Revised[],
): Promise<void> {
  for (let start = 0; start < items.length; start += rowsPerInsert) {
    const rows = items.slice(start, start + rowsPerInsert);
    const values = rows.map((item) => ({ ...heading, ...textOf(item), counts: null, packed: null }));
    await db.insertInto('revisions').values(values).execute();
  }
}

/** The entity of the row is the kind of the items, or `several` when they have different kinds. */
async function writeRestorePoint(
  db: Transaction<Tables>,
  heading: Heading,
  items: readonly Revised[],
): Promise<void> {
  const counts = countEntities(items);
  const [entity = 'several', ...others] = Object.keys(counts);
  const packed = await packItems(texts(items));
  const row = {
    ...heading,
    entity: others.length === 0 ? entity : 'several',
    key: '',
    before: null,
    after: null,
    counts: JSON.stringify(counts),
    packed: packed ?? null,
  };
  await db.insertInto('revisions').values(row).execute();
  await dropOldRestorePoints(db);
}

function* texts(items: readonly Revised[]): Generator<RevisedText> {
  for (const item of items) yield textOf(item);
}

const textOf = ({ entity, key, before, after }: Revised): RevisedText => ({
  entity,
  key,
  before: before === null ? null : revisionText(entity, before),
  after: after === null ? null : revisionText(entity, after),
});

const revisionText = (entity: string, item: unknown): string =>
  entity === 'list' ? JSON.stringify(item, withoutPassword) : JSON.stringify(item);

const withoutPassword = (name: string, value: unknown): unknown =>
  name === 'address' && typeof value === 'string' ? maskedAddress(value) : value;

async function dropOldRevisions(db: Transaction<Tables>, nowMs: number): Promise<void> {
  const newest = await db
    .selectFrom('revisions')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirstOrThrow();
  const tooMany = await db
    .selectFrom('revisions')
    .select(({ fn }) => fn.max('version').as('version'))
    .where('id', '<=', newest.id - limits.revisionCount)
    .executeTakeFirst();
  if (typeof tooMany?.version === 'number')
    await db.deleteFrom('revisions').where('version', '<=', tooMany.version).execute();
  // All rows of a change have the same time.
  await db
    .deleteFrom('revisions')
    .where('at_ms', '<', nowMs - limits.revisionDays * 86_400_000)
    .execute();
}

/** Deletes only the packed items; the rows stay in the list of changes. */
async function dropOldRestorePoints(db: Transaction<Tables>): Promise<void> {
  const kept = await db
    .selectFrom('revisions')
    .select('id')
    .where('packed', 'is not', null)
    .orderBy('id', 'desc')
    .limit(limits.restorePoints)
    .execute();
  const oldest = kept.at(-1)?.id ?? 0;
  await db
    .updateTable('revisions')
    .set({ packed: null })
    .where('packed', 'is not', null)
    .where('id', '<', oldest)
    .execute();
}
