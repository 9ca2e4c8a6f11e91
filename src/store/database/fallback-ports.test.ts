// The migration that removes ports which earlier releases stored at their first start: it must recognise them
// and leave the decisions of people alone.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { openStorage, type Storage } from './storage.ts';
import { storeSetting } from './stored-settings.ts';
import { backBefore } from '#testing/store/old-tables';

const root = mkdtempSync(join(tmpdir(), 'sluice-fallback-ports-'));
after(() => rmSync(root, { recursive: true }));

async function open(dataDir: string): Promise<Storage> {
  const storage = await openStorage({ dataDir, nowMs: () => 1_700_000_000_000, onDamaged: assert.fail });
  return typeof storage === 'string' ? assert.fail(storage) : storage;
}

type Stored = readonly [actor: string, path: string, value: string];

/** The settings that are left when a database with these changes is migrated. */
async function migrated(changes: readonly Stored[], statements = ''): Promise<Record<string, unknown>> {
  const dataDir = mkdtempSync(join(root, 'data-'));
  const before = await open(dataDir);
  for (const [actor, path, value] of changes)
    await before.change(actor, (scope) => storeSetting(scope, path, undefined, value));
  await before.close();
  const database = new DatabaseSync(join(dataDir, 'sluice.db'));
  database.exec(statements);
  backBefore(database, '0012');
  database.close();
  const now = await open(dataDir);
  await now.close();
  return Object.fromEntries(now.read.settings);
}

describe('the migration of stored fallback ports', () => {
  const rows: readonly {
    readonly title: string;
    readonly changes: readonly Stored[];
    readonly statements?: string;
    readonly left: Readonly<Record<string, string>>;
  }[] = [
    {
      title: 'removes all ports that the first start has stored',
      changes: [
        ['first start', 'dns.listen', '*:5300'],
        ['first start', 'web.http', '*:43210'],
        ['first start', 'web.https', '*:8443'],
      ],
      left: {},
    },
    {
      title: 'keeps a port that a person has set',
      changes: [['web interface', 'web.http', '*:8080']],
      left: { 'web.http': '*:8080' },
    },
    {
      title: 'keeps a port that a person has set after the first start',
      changes: [
        ['first start', 'dns.listen', '*:5300'],
        ['command line', 'dns.listen', '*:5353'],
        ['first start', 'web.http', '*:8080'],
        ['command line', 'web.http', '*:8080'],
      ],
      left: { 'dns.listen': '*:5353', 'web.http': '*:8080' },
    },
    {
      title: 'keeps a port whose revision is too old to be there',
      changes: [['first start', 'dns.listen', '*:5300']],
      statements: 'delete from revisions',
      left: { 'dns.listen': '*:5300' },
    },
    {
      title: 'keeps other settings of the first start',
      changes: [
        ['first start', 'auth.password', 'a hash'],
        ['first start', 'dns.listen', '*:5300'],
      ],
      left: { 'auth.password': 'a hash' },
    },
    {
      title: 'does nothing when the revisions are missing',
      changes: [['first start', 'dns.listen', '*:5300']],
      statements: 'alter table revisions rename to elsewhere',
      left: { 'dns.listen': '*:5300' },
    },
  ];
  for (const { title, changes, statements, left } of rows)
    it(title, async () => assert.deepEqual(await migrated(changes, statements), left));
});
