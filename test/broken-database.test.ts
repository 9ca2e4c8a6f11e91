// A damaged database file: the service puts it aside, never deletes it, restores the newest good copy and
// logs an error. Without a copy it starts empty with a new password. Each case damages a clone of a data
// folder that a real service has filled. Damage that only the full integrity check finds is tested in
// broken-database.faults.test.ts, because that check runs 20 s after a start.

import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';

import { bootFor, loopbackEnvironment } from './running/boot.ts';
import {
  asideFiles,
  assertLossReported,
  assertRestored,
  bootDamaged,
  clone,
  copyOf,
  fillFolder,
  fillTemplate,
  overwrite,
  quick,
} from './running/damaged-database.ts';
import { damages as logDamages } from './running/damage.ts';
import { temporaryFolder } from './running/folder.ts';
import { launch } from './running/program.ts';
import { until } from './running/waiting.ts';

before(fillTemplate);

/** src/store/database/damaged-files.test.ts has the file that is emptied or truncated. */
const damages: Readonly<Record<string, (path: string) => void>> = {
  'middle overwritten': (path) => overwrite(path, 4_096 * 3, statSync(path).size - 4_096 * 6),
  'everything after the first page overwritten': (path) =>
    overwrite(path, 4_096, statSync(path).size - 4_096),
  'replaced by another file': (path) =>
    writeFileSync(path, 'Dear diary, today I replaced a database.\n'.repeat(500)),
};

describe('a damaged database with a copy', { concurrency: 2 }, () => {
  for (const [name, damage] of Object.entries(damages)) {
    test(`${name}: the copy is restored`, async (t) => {
      const dir = clone();
      damage(join(dir, 'sluice.db'));
      const service = await bootDamaged(t, { dir });
      await assertRestored(service);
    });
  }

  test('the newest copy is damaged too: the copy before it is restored', async (t) => {
    const dir = clone();
    const [copy = ''] = readdirSync(join(dir, 'copies'));
    cpSync(join(dir, 'copies', copy), join(dir, 'copies', 'sluice-2001-01-01.db'));
    overwrite(join(dir, 'copies', copy), 4_096, 20_000);
    overwrite(join(dir, 'sluice.db'), 0, 100);
    const service = await bootDamaged(t, { dir });
    await assertRestored(service);
    await service.logged(/2001-01-01/);
  });

  test('header overwritten: the copy is restored, and the next start logs no error', async (t) => {
    const dir = clone();
    overwrite(join(dir, 'sluice.db'), 0, 100);
    const first = await bootDamaged(t, { dir });
    await assertRestored(first);
    await first.stop();
    const second = await bootFor(t, { dir, env: quick });
    assert.match((await second.call('GET', '/api/groups')).text, /life goes on/);
    assert.doesNotMatch(second.log(), /error /);
  });
});

describe('a write-ahead log damaged after kill -9', { concurrency: 2 }, () => {
  const killed = temporaryFolder();
  before(() => fillFolder(killed, () => copyOf(killed), 'kill'));
  for (const kind of ['deleted', 'byte early'] as const)
    test(`${kind}: the data of the copy is kept, and log, message and health report the loss`, async (t) => {
      const dir = clone(killed);
      logDamages[kind](join(dir, 'sluice.db-wal'));
      const service = await bootDamaged(t, { dir });
      const { text } = await service.call('GET', '/api/groups');
      assert.match(text, /"group 0".*"group 399"/);
      assert.doesNotMatch(text, /after the copy/);
      await service.logged(/error .*(?:1 change is missing|Missing: 1 change)/);
      await assertLossReported(service);
    });
});

describe('a damaged database without a copy', { concurrency: 2 }, () => {
  test('header overwritten: the service starts empty with a new password', async (t) => {
    const dir = clone();
    rmSync(join(dir, 'copies'), { recursive: true });
    overwrite(join(dir, 'sluice.db'), 0, 100);
    const service = await bootDamaged(t, { dir, env: { ...quick, SLUICE_AUTH_PASSWORD: undefined } });
    await service.logged(/error .*sluice\.db.*broken/);
    await service.logged(/no good copy/i);
    assert.match(readFileSync(join(dir, 'first-password'), 'utf8'), /^\S{12,}\n$/);
    assert.equal((await service.call('GET', '/api/groups')).status, 401);
    const { text } = await service.call('GET', '/api/groups', { via: 'control' });
    assert.doesNotMatch(text, /group 1/);
    assert.equal(asideFiles(dir).length, 1);
  });

  test('a folder in place of the file: nothing is put aside, and the log names it', async (t) => {
    const dir = clone();
    const path = join(dir, 'sluice.db');
    renameSync(path, `${path}.mine`);
    // The service can neither open nor repair a folder in place of the file: an operator has to.
    cpSync(join(dir, 'copies'), path, { recursive: true });
    const running = launch(['serve'], { dir, env: { ...loopbackEnvironment, ...quick } });
    t.after(() => running.signal('SIGKILL'));
    await until('The log names the database', () => /sluice\.db|database/.exec(running.log()) ?? undefined);
    assert.equal(asideFiles(dir).length, 0);
  });
});
