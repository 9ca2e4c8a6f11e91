// Damage that only the service's full integrity check finds, and copies that the service makes: both happen
// 20 s after a start, so these tests take that long.

import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';

import {
  asideFiles,
  assertRestored,
  bootDamaged,
  clone,
  cut,
  damageRevisions,
  fillFolder,
  fillTemplate,
  overwrite,
} from './running/damaged-database.ts';
import { temporaryFolder } from './running/folder.ts';
import { at } from './running/reply.ts';
import { until } from './running/waiting.ts';

/** The check and the copy run 20 s after the start; the machine may be busy. */
const maxMaintenanceMs = 120_000;

before(fillTemplate);

describe('a damaged database with a copy', { concurrency: 3 }, () => {
  const hidden: Readonly<Record<string, (path: string) => void>> = {
    'a page that is not read at start': damageRevisions,
    'the last page cut off': (path) => cut(path, statSync(path).size - 1_000),
  };
  for (const [name, damage] of Object.entries(hidden)) {
    test(`${name}: the full check finds it, and the copy is restored while the service runs`, async (t) => {
      const dir = clone();
      damage(join(dir, 'sluice.db'));
      // With this file the service would find the damage at start.
      rmSync(join(dir, 'sluice.db.checksum'));
      const service = await bootDamaged(t, { dir });
      assert.equal((await service.call('GET', '/api/groups')).status, 200);
      await until(
        'The damage is found',
        () => /error .*broken/.exec(service.log()) ?? undefined,
        maxMaintenanceMs,
      );
      await until('The file is put aside', () => asideFiles(dir)[0]);
      await until('The service is back', async () => {
        const reply = await service.call('GET', '/api/groups').catch(() => undefined);
        return reply?.status === 200 ? true : undefined;
      });
      await assertRestored(service);
    });
  }

  test('header overwritten: the copy that the service has made is restored', async (t) => {
    const dir = temporaryFolder();
    await fillFolder(dir, async (service) => {
      const hasCopy = async () => {
        const { body } = await service.call('GET', '/api/status');
        return at(body, 'status', 'database', 'newest_copy') ?? undefined;
      };
      await until('The first copy is made', hasCopy, maxMaintenanceMs);
    });
    overwrite(join(dir, 'sluice.db'), 0, 100);
    await assertRestored(await bootDamaged(t, { dir }));
  });
});
