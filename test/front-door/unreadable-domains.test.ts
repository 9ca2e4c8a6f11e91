// A table that cannot be read makes only its own data unavailable: the specification defines the error for
// domains, and a service that refused to start could not report it.

import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';

import { boot, bootFor, type Service } from '../running/boot.ts';
import { temporaryFolder } from '../running/folder.ts';
import { assertError } from '../running/reply.ts';
import { quick } from './support/session.ts';

const first = await boot({ env: quick });
await first.stop();

/** A service whose database lacks these tables. */
const bootWithout = (t: TestContext, ...tables: readonly string[]): Promise<Service> => {
  const dir = temporaryFolder();
  const path = join(dir, 'sluice.db');
  cpSync(join(first.dir, 'sluice.db'), path);
  const database = new DatabaseSync(path);
  for (const table of tables) database.exec(`drop table ${table}`);
  database.close();
  return bootFor(t, { dir, env: quick });
};

const assertUnreadable = async (service: Service, path: string, message: string): Promise<void> => {
  const wanted = { status: 500, key: 'database_error', message, hint: /no such table/ };
  assertError(await service.call('GET', path), wanted);
};

test('GET of domains gets 500 "Could not read domains from database table" without its table', async (t) => {
  const service = await bootWithout(t, 'domain_groups', 'domains');
  for (const rest of ['', '/deny', '/deny/exact', '/deny/exact/ads.example'])
    await assertUnreadable(service, `/api/domains${rest}`, 'Could not read domains from database table');
  assert.equal((await service.call('GET', '/api/groups')).status, 200);
});

test('GET of lists and clients gets 500 "Could not read from gravity database" without tables', async (t) => {
  const service = await bootWithout(t, 'list_groups', 'lists', 'client_groups', 'clients');
  for (const path of ['/api/lists', '/api/lists/x', '/api/clients', '/api/clients/x'])
    await assertUnreadable(service, path, 'Could not read from gravity database');
  assert.equal((await service.call('GET', '/api/domains')).status, 200);
});
