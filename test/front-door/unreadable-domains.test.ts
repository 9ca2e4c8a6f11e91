// A table that cannot be read costs what is in it and nothing else: the specification names the error for
// domains, and a service that would not start at all could not tell it.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { boot, bootFor } from '../running/boot.ts';
import { temporaryFolder } from '../running/folder.ts';
import { assertError } from '../running/reply.ts';

const paths = ['', '/deny', '/deny/exact', '/deny/exact/ads.example'].map((rest) => `/api/domains${rest}`);

test('Could not read domains from database table', async (t) => {
  const dir = temporaryFolder();
  const first = await boot({ dir });
  await first.stop();
  const database = new DatabaseSync(join(dir, 'sluice.db'));
  database.exec('drop table domain_groups; drop table domains');
  database.close();
  const service = await bootFor(t, { dir });
  for (const path of paths) {
    const reply = await service.call('GET', path);
    const message = 'Could not read domains from database table';
    assertError(reply, { status: 500, key: 'database_error', message, hint: /no such table/ });
  }
  assert.equal((await service.call('GET', '/api/groups')).status, 200);
});

test('Could not read from gravity database', async (t) => {
  const dir = temporaryFolder();
  const first = await boot({ dir });
  await first.stop();
  const database = new DatabaseSync(join(dir, 'sluice.db'));
  for (const table of ['list_groups', 'lists', 'client_groups', 'clients'])
    database.exec(`drop table ${table}`);
  database.close();
  const service = await bootFor(t, { dir });
  for (const path of ['/api/lists', '/api/lists/x', '/api/clients', '/api/clients/x']) {
    const message = 'Could not read from gravity database';
    const wanted = { status: 500, key: 'database_error', message, hint: /no such table/ };
    assertError(await service.call('GET', path), wanted);
  }
  assert.equal((await service.call('GET', '/api/domains')).status, 200);
});
