// A table of domains that cannot be read costs the domains and nothing else: the specification names the
// error, and a service that would not start at all could not tell it.

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
