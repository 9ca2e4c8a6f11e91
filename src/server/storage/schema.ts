// The tables as kysely sees them. Flags are 0 or 1 and times are whole Unix seconds in both databases that we
// serve, so that one set of queries works on SQLite and PostgreSQL alike.

import type { Generated, Selectable } from 'kysely';

interface GroupsTable {
  id: Generated<number>;
  name: string;
  comment: string | null;
  enabled: number;
  date_added: number;
  date_modified: number;
}

interface SettingsTable {
  path: string;
  /** JSON */
  value: string;
}

interface RevisionsTable {
  id: Generated<number>;
  at_ms: number;
  actor: string;
  entity: string;
  key: string;
  /** JSON, null before a creation */
  before: string | null;
  /** JSON, null after a deletion */
  after: string | null;
}

export interface Tables {
  groups: GroupsTable;
  settings: SettingsTable;
  revisions: RevisionsTable;
}

export type GroupRow = Selectable<GroupsTable>;
