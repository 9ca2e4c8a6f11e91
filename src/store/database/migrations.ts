// The migrations of the tables. They only go forward and are never changed after a release. They run under a
// lock and in one transaction, so that a crash leaves the database as it was.

import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { parseUserRule, trustPatterns } from '#policy';
import { builtInList, defaultSubscription } from './default-subscription.ts';
import { maskedAddress } from './masked-address.ts';
import { databaseTrouble } from '#platform/sqlite';
import { errorText } from '#platform/tasks';

const migrations: Readonly<Record<string, Migration>> = {
  '0001-groups-settings-revisions': {
    // A migration works on the tables of its time, so it is not typed by the current schema.
    up: async (db: Kysely<unknown>) => {
      await sql`create table settings (path text primary key, value text not null) strict`.execute(db);
      await sql`
        create table groups (
          id integer primary key autoincrement,
          name text not null unique,
          comment text,
          enabled integer not null default 1,
          date_added integer not null,
          date_modified integer not null
        ) strict`.execute(db);
      await sql`
        insert into groups (id, name, comment, enabled, date_added, date_modified)
        values (0, 'Default', 'The default group', 1, unixepoch(), unixepoch())`.execute(db);
      await sql`
        create table revisions (
          id integer primary key autoincrement,
          at_ms integer not null,
          actor text not null,
          entity text not null,
          key text not null,
          before text,
          after text
        ) strict`.execute(db);
      await sql`create index revisions_at on revisions (at_ms)`.execute(db);
    },
  },
  '0002-domains-and-credentials': {
    up: async (db: Kysely<unknown>) => {
      await sql`
        create table domains (
          id integer primary key autoincrement,
          domain text not null,
          type text not null check (type in ('allow', 'deny')),
          kind text not null check (kind in ('exact', 'regex')),
          comment text,
          enabled integer not null default 1,
          date_added integer not null,
          date_modified integer not null,
          expires_at integer,
          unique (domain, type, kind)
        ) strict`.execute(db);
      await sql`
        create table domain_groups (
          domain_id integer not null references domains (id) on delete cascade,
          group_id integer not null references groups (id) on delete cascade,
          expires_at integer,
          primary key (domain_id, group_id)
        ) strict`.execute(db);
      await sql`create index domain_groups_by_group on domain_groups (group_id)`.execute(db);
      await sql`
        create table sessions (
          id integer primary key,
          key text not null unique,
          address text not null,
          user_agent text,
          login_at_ms integer not null,
          last_used_ms integer not null,
          ends_ms integer not null,
          is_tls integer not null,
          app_id integer,
          credential text not null
        ) strict`.execute(db);
      await sql`
        create table app_passwords (
          id integer primary key autoincrement,
          name text not null,
          sudo integer not null,
          key text not null unique,
          created integer not null,
          last_used integer
        ) strict`.execute(db);
      await sql`create table secrets (name text primary key, value text not null) strict`.execute(db);
    },
  },
  '0003-lists-and-clients': {
    up: async (db: Kysely<unknown>) => {
      await createLists(db);
      await createClients(db);
    },
  },
  '0004-schedules-and-pauses': {
    up: async (db: Kysely<unknown>) => {
      await sql`alter table groups add column schedules text not null default '[]'`.execute(db);
      await sql`
        create table pauses (
          id integer primary key autoincrement,
          group_id integer unique references groups (id) on delete cascade,
          client text unique,
          until integer,
          check ((group_id is null) <> (client is null))
        ) strict`.execute(db);
    },
  },
  '0005-messages': { up: createMessages },
  '0006-held-lists': {
    up: async (db) => {
      await sql`alter table lists add column held integer not null default 0`.execute(db);
    },
  },
  '0007-group-privacy': {
    up: async (db: Kysely<unknown>) => {
      await sql`alter table groups add column privacy integer not null default 0`.execute(db);
    },
  },
  '0008-one-spelling-of-rules': { up: normaliseRules },
  '0009-rights-of-lists': { up: addListRights },
  '0010-no-passwords-in-revisions': { up: maskRevisions },
  '0011-versions-of-changes': { up: addVersions },
  '0012-no-stored-fallback-ports': { up: removeFallbackPorts },
};

/**
 * Earlier releases stored the ports that their first start used when the usual ones were taken, and never
 * tried the usual ones again. The last revision of a setting says whether the program stored the value
 * (`first start`) or a person did. Without a revision, which is kept for 90 days, the two are
 * indistinguishable: then the value stays, because it may be a decision.
 */
async function removeFallbackPorts(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`
    select 1 from sqlite_master where type = 'table' and name in ('settings', 'revisions')`.execute(db);
  // A service whose tables are missing still starts.
  if (rows.length < 2) return;
  await sql`
    delete from settings
    where path in ('dns.listen', 'web.http', 'web.https') and exists (
      select 1 from revisions
      where id = (
          select max(id) from revisions where entity = 'setting' and key = settings.path
        )
        and actor = 'first start' and after = settings.value
    )`.execute(db);
}

/**
 * Each old revision becomes a separate version: two rows with the same actor and millisecond may belong to
 * different changes, and an undo must not undo more than one. New versions follow the last id of a revision,
 * so that the high-water mark stays valid.
 */
async function addVersions(db: Kysely<unknown>): Promise<void> {
  await sql`alter table revisions add column version integer not null default 0`.execute(db);
  await sql`alter table revisions add column counts text`.execute(db);
  await sql`alter table revisions add column packed blob`.execute(db);
  await sql`update revisions set version = id`.execute(db);
  await sql`create index revisions_version on revisions (version)`.execute(db);
  await sql`
    create table counters (name text not null primary key, value integer not null)
    strict, without rowid`.execute(db);
  await sql`
    insert into counters (name, value)
    select 'version', coalesce(max(seq), 0) from sqlite_sequence where name = 'revisions'`.execute(db);
}

/**
 * Earlier releases stored some rules as the user wrote them. Equal rules are recognised by their text, so it
 * is normalised. If the database has both spellings of a rule, both stay, because their groups may differ.
 */
async function normaliseRules(db: Kysely<unknown>): Promise<void> {
  type Row = { readonly id: number; readonly domain: string; readonly kind: string; readonly type: string };
  const { rows } = await sql<Row>`select id, domain, kind, type from domains`.execute(db);
  for (const { id, domain, kind, type } of rows) {
    const text = storedText(domain, kind, type);
    if (text !== domain)
      await sql`update or ignore domains set domain = ${text} where id = ${id}`.execute(db);
  }
}

/**
 * The rights of the users who added the existing lists are unknown, so these lists may still reach every
 * address. The two default lists need no special rights.
 */
async function addListRights(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table lists add column added_with text not null default 'earlier'
      check (added_with in ('sudo', 'limited', 'earlier'))`.execute(db);
  await sql`
    update lists set added_with = 'sudo'
    where address in (${builtInList.address}, ${defaultSubscription.address})`.execute(db);
}

/** Earlier releases recorded addresses of lists including their passwords. */
async function maskRevisions(db: Kysely<unknown>): Promise<void> {
  type Row = { readonly id: number; readonly before: string | null; readonly after: string | null };
  const { rows } = await sql<Row>`
    select id, before, after from revisions
    where entity = 'list' and (before like '%@%' or after like '%@%')`.execute(db);
  for (const { id, before, after } of rows) {
    const [was, is] = [before, after].map((text) => (text === null ? null : maskedItem(text)));
    await sql`update revisions set before = ${was}, after = ${is} where id = ${id}`.execute(db);
  }
}

/** A damaged text becomes `null`: it may contain a password, and it must not prevent the start. */
function maskedItem(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) =>
      name === 'address' ? maskedAddress(String(value)) : value,
    );
  } catch {
    return 'null';
  }
}

function storedText(domain: string, kind: string, type: string): string {
  const action = type === 'allow' ? 'allow' : 'block';
  const read = parseUserRule({ domain, kind: kind === 'regex' ? 'regex' : 'exact', action }, trustPatterns);
  return read.isRule ? read.text : domain;
}

async function createLists(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table lists (
      id integer primary key autoincrement,
      address text not null,
      type text not null check (type in ('block', 'allow')),
      comment text,
      enabled integer not null default 1,
      date_added integer not null,
      date_modified integer not null,
      date_updated integer not null default 0,
      number integer not null default 0,
      invalid_domains integer not null default 0,
      abp_entries integer not null default 0,
      status integer not null default 0 check (status between 0 and 4),
      unique (address, type)
    ) strict`.execute(db);
  await sql`
    create table list_groups (
      list_id integer not null references lists (id) on delete cascade,
      group_id integer not null references groups (id) on delete cascade,
      expires_at integer,
      primary key (list_id, group_id)
    ) strict`.execute(db);
  await sql`create index list_groups_by_group on list_groups (group_id)`.execute(db);
  for (const [index, { address, comment }] of [builtInList, defaultSubscription].entries()) {
    await sql`
      insert into lists (id, address, type, comment, date_added, date_modified)
      values (${index + 1}, ${address}, 'block', ${comment}, unixepoch(), unixepoch())`.execute(db);
    await sql`insert into list_groups (list_id, group_id) values (${index + 1}, 0)`.execute(db);
  }
}

async function createClients(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table clients (
      id integer primary key autoincrement,
      client text not null unique,
      comment text,
      date_added integer not null,
      date_modified integer not null
    ) strict`.execute(db);
  await sql`
    create table client_groups (
      client_id integer not null references clients (id) on delete cascade,
      group_id integer not null references groups (id) on delete cascade,
      expires_at integer,
      primary key (client_id, group_id)
    ) strict`.execute(db);
  await sql`create index client_groups_by_group on client_groups (group_id)`.execute(db);
}

async function createMessages(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table messages (
      id integer primary key autoincrement,
      at_ms integer not null,
      type text not null,
      topic text not null,
      key text not null,
      plain text not null,
      unique (topic, key)
    ) strict`.execute(db);
}

/** The migrations, each of which calls `onMigration` with its name before it runs. */
function announced(onMigration: (name: string) => void): Readonly<Record<string, Migration>> {
  const entries = Object.entries(migrations).map(([name, migration]): [string, Migration] => [
    name,
    {
      up: (db) => {
        onMigration(name);
        return migration.up(db);
      },
    },
  ]);
  return Object.fromEntries(entries);
}

/** Brings the tables up to date; returns the reason when that fails. */
export async function migrate<T>(
  db: Kysely<T>,
  onMigration: (name: string) => void = () => undefined,
): Promise<string | undefined> {
  const provider = { getMigrations: async () => announced(onMigration) };
  const migrator = new Migrator({ db, provider });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return undefined;
  if (error instanceof Error && databaseTrouble(error) === 'damaged') throw error;
  const text = errorText(error);
  return text.includes('corrupted migrations')
    ? `a newer version of the service wrote this database (${text}). Install it, or restore an older copy.`
    : `the database cannot be brought up to date: ${text}. Restore a copy of it (docs/operating.md).`;
}
