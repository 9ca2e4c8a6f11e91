// The types of the tables, for kysely. Flags are 0 or 1 and times are whole Unix seconds, so that the same
// queries work on SQLite and PostgreSQL.

import type { Generated, Selectable } from 'kysely';

interface GroupsTable {
  id: Generated<number>;
  name: string;
  comment: string | null;
  enabled: number;
  date_added: number;
  date_modified: number;
  /** JSON */
  schedules: Generated<string>;
  /** 0 to 3 */
  privacy: Generated<number>;
}

interface SettingsTable {
  path: string;
  /** JSON */
  value: string;
}

interface CountersTable {
  name: string;
  value: number;
}

interface RevisionsTable {
  id: Generated<number>;
  /** The number of the change that the revision belongs to. */
  version: number;
  at_ms: number;
  actor: string;
  entity: string;
  key: string;
  /** JSON, null before a creation */
  before: string | null;
  /** JSON, null after a deletion */
  after: string | null;
  /** In a restore point: the number of items of each kind, as JSON. */
  counts: string | null;
  /** In a restore point: its items, see `restore-point.ts`; null when they are no longer kept. */
  packed: Uint8Array | null;
}

interface DomainsTable {
  id: Generated<number>;
  domain: string;
  type: string;
  kind: string;
  comment: string | null;
  enabled: number;
  date_added: number;
  date_modified: number;
  expires_at: number | null;
}

interface DomainGroupsTable {
  domain_id: number;
  group_id: number;
  expires_at: number | null;
}

interface ListsTable {
  id: Generated<number>;
  address: string;
  type: string;
  comment: string | null;
  enabled: number;
  added_with: Generated<string>;
  date_added: number;
  date_modified: number;
  /** This column and those after it are written by list updates. 0: never updated */
  date_updated: Generated<number>;
  number: Generated<number>;
  invalid_domains: Generated<number>;
  abp_entries: Generated<number>;
  status: Generated<number>;
  held: Generated<number>;
}

interface ListGroupsTable {
  list_id: number;
  group_id: number;
  expires_at: number | null;
}

interface ClientsTable {
  id: Generated<number>;
  client: string;
  comment: string | null;
  date_added: number;
  date_modified: number;
}

interface ClientGroupsTable {
  client_id: number;
  group_id: number;
  expires_at: number | null;
}

interface PausesTable {
  id: Generated<number>;
  group_id: number | null;
  client: string | null;
  until: number | null;
}

interface SessionsTable {
  id: number;
  /** SHA-256 of the session id */
  key: string;
  address: string;
  user_agent: string | null;
  login_at_ms: number;
  last_used_ms: number;
  ends_ms: number;
  is_tls: number;
  app_id: number | null;
  credential: string;
}

interface AppPasswordsTable {
  id: Generated<number>;
  name: string;
  sudo: number;
  /** SHA-256 of the password */
  key: string;
  created: number;
  last_used: number | null;
}

interface MessagesTable {
  id: Generated<number>;
  at_ms: number;
  type: string;
  /** The kind of situation; `key` identifies the situation within the topic. */
  topic: string;
  key: string;
  plain: string;
}

interface SecretsTable {
  name: string;
  value: string;
}

export interface Tables {
  groups: GroupsTable;
  domains: DomainsTable;
  domain_groups: DomainGroupsTable;
  lists: ListsTable;
  list_groups: ListGroupsTable;
  clients: ClientsTable;
  client_groups: ClientGroupsTable;
  pauses: PausesTable;
  settings: SettingsTable;
  revisions: RevisionsTable;
  counters: CountersTable;
  sessions: SessionsTable;
  app_passwords: AppPasswordsTable;
  secrets: SecretsTable;
  messages: MessagesTable;
}

/**
 * What each table contains: `rules` decide about queries; `records` are written by the service and can be
 * missing for a while; without `identity` the service must not run.
 */
export const tablePurposes: Readonly<Record<keyof Tables, 'rules' | 'records' | 'identity'>> = {
  groups: 'rules',
  domains: 'rules',
  domain_groups: 'rules',
  lists: 'rules',
  list_groups: 'rules',
  clients: 'rules',
  client_groups: 'rules',
  pauses: 'rules',
  settings: 'identity',
  secrets: 'identity',
  revisions: 'records',
  counters: 'records',
  sessions: 'records',
  app_passwords: 'records',
  messages: 'records',
};

type ColumnKind =
  | 'integer primary key'
  | 'text not null primary key'
  | `${'integer' | 'text' | 'blob'}${'' | ' not null'}`;
type RecordTable = 'revisions' | 'counters' | 'sessions' | 'app_passwords' | 'messages';

/**
 * The columns of the `records`, as the migrations create them. They are repeated here, because running the
 * migrations in memory to get them would take a tenth of a second of each start.
 */
export const recordColumns: {
  readonly [T in RecordTable]: Readonly<Record<keyof Tables[T], ColumnKind>>;
} = {
  revisions: {
    id: 'integer primary key',
    at_ms: 'integer not null',
    actor: 'text not null',
    entity: 'text not null',
    key: 'text not null',
    before: 'text',
    after: 'text',
    version: 'integer not null',
    counts: 'text',
    packed: 'blob',
  },
  counters: { name: 'text not null primary key', value: 'integer not null' },
  sessions: {
    id: 'integer primary key',
    key: 'text not null',
    address: 'text not null',
    user_agent: 'text',
    login_at_ms: 'integer not null',
    last_used_ms: 'integer not null',
    ends_ms: 'integer not null',
    is_tls: 'integer not null',
    app_id: 'integer',
    credential: 'text not null',
  },
  app_passwords: {
    id: 'integer primary key',
    name: 'text not null',
    sudo: 'integer not null',
    key: 'text not null',
    created: 'integer not null',
    last_used: 'integer',
  },
  messages: {
    id: 'integer primary key',
    at_ms: 'integer not null',
    type: 'text not null',
    topic: 'text not null',
    key: 'text not null',
    plain: 'text not null',
  },
};

export type DomainRow = Selectable<DomainsTable>;

export type ListRow = Selectable<ListsTable>;

export type ClientRow = Selectable<ClientsTable>;

export type GroupRow = Selectable<GroupsTable>;

export type PauseRow = Selectable<PausesTable>;
