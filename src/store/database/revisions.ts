// Reads the revisions that `change` writes: the newest first, or one of them.

import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

export interface Revision {
  readonly id: number;
  readonly at: number;
  readonly actor: string;
  readonly entity: string;
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Revisions {
  /** Newest first; with `before`, only those with a smaller id. */
  readonly list: (count: number, before: number | undefined) => Promise<Revision[]>;
  readonly get: (id: number) => Promise<Revision | undefined>;
}

export const createRevisions = (db: Kysely<Tables>): Revisions => ({
  list: async (count, before) => {
    const all = db.selectFrom('revisions').selectAll().orderBy('id', 'desc').limit(count);
    const rows = await (before === undefined ? all : all.where('id', '<', before)).execute();
    return rows.map(fromRow);
  },
  get: async (id) => {
    const row = await db.selectFrom('revisions').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? undefined : fromRow(row);
  },
});

type Row = {
  id: number;
  at_ms: number;
  actor: string;
  entity: string;
  key: string;
  before: string | null;
  after: string | null;
};

const fromRow = ({ id, at_ms, actor, entity, key, before, after }: Row): Revision => ({
  id,
  at: at_ms / 1000,
  actor,
  entity,
  key,
  before: before === null ? null : JSON.parse(before),
  after: after === null ? null : JSON.parse(after),
});
