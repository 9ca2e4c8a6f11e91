// Reads the revisions that `change` writes: a list with the newest first, or all items of one change. The
// bytes of restore points are large, so only an undo reads them.

import type { Kysely } from 'kysely';
import { summaryOf, unpackItems, type EntityCounts, type RevisedItem } from './restore-point.ts';
import type { Tables } from './schema.ts';

interface Revision extends RevisedItem {
  readonly id: number;
  readonly version: number;
  readonly at: number;
  readonly actor: string;
  /** Set when this revision is a restore point, which stands for many items. */
  readonly restore_point?: RestorePoint;
}

interface RestorePoint {
  readonly summary: string;
  readonly entities: EntityCounts;
}

interface RevisionFilter {
  /** Only revisions with a smaller id. */
  readonly before?: number | undefined;
  /** Only revisions of this change. */
  readonly version?: number | undefined;
}

/** All items of a change in the order in which they were changed, or why they are not available. */
export type ItemsOfChange =
  | { readonly state: 'found'; readonly items: readonly RevisedItem[] }
  | { readonly state: 'missing' | 'not kept' | 'damaged' };

export interface Revisions {
  /** Newest first. */
  readonly list: (count: number, filter?: RevisionFilter) => Promise<Revision[]>;
  readonly itemsOf: (version: number) => Promise<ItemsOfChange>;
}

export const createRevisions = (db: Kysely<Tables>): Revisions => ({
  list: async (count, { before, version } = {}) => {
    let wanted = db.selectFrom('revisions').select(shown).orderBy('id', 'desc').limit(count);
    if (before !== undefined) wanted = wanted.where('id', '<', before);
    if (version !== undefined) wanted = wanted.where('version', '=', version);
    return (await wanted.execute()).map(fromRow);
  },
  itemsOf: async (version) => {
    const rows = await db
      .selectFrom('revisions')
      .select([...shown, 'packed'])
      .where('version', '=', version)
      .orderBy('id')
      .execute();
    const [first] = rows;
    if (first === undefined) return { state: 'missing' };
    return first.counts === null ? { state: 'found', items: rows.map(fromRow) } : unpacked(first.packed);
  },
});

async function unpacked(packed: Uint8Array | null): Promise<ItemsOfChange> {
  if (packed === null) return { state: 'not kept' };
  const items = await unpackItems(packed);
  return items === undefined ? { state: 'damaged' } : { state: 'found', items };
}

const shown = [
  'id',
  'version',
  'at_ms',
  'actor',
  'entity',
  'key',
  'before',
  'after',
  'counts',
] as const satisfies readonly (keyof Tables['revisions'])[];

type Row = {
  id: number;
  version: number;
  at_ms: number;
  actor: string;
  entity: string;
  key: string;
  before: string | null;
  after: string | null;
  counts: string | null;
};

const fromRow = ({ id, version, at_ms, actor, entity, key, before, after, counts }: Row): Revision => ({
  id,
  version,
  at: at_ms / 1000,
  actor,
  entity,
  key,
  before: before === null ? null : JSON.parse(before),
  after: after === null ? null : JSON.parse(after),
  ...(counts !== null && { restore_point: restorePointOf(counts) }),
});

function restorePointOf(text: string): RestorePoint {
  // Only `write-revisions.ts` writes this column.
  const entities = JSON.parse(text) as EntityCounts;
  return { summary: summaryOf(entities), entities };
}
