// A database file that is damaged: it is put aside, never deleted, and the newest good copy takes its place,
// which is said loudly; without a copy the service starts empty with a new password. The template is a real
// data folder with a copy as the service makes one; each case damages a clone of it. The service looks after
// its file some time after its start: whoever waits for that waits while the others run.

import assert from 'node:assert/strict';
import {
  closeSync,
  cpSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { before, describe, test, type TestContext } from 'node:test';

import { boot, bootFor, loopbackEnvironment, type BootOptions, type Service } from './running/boot.ts';
import { temporaryFolder } from './running/folder.ts';
import { launch } from './running/program.ts';
import { at } from './running/reply.ts';
import { until } from './running/waiting.ts';

const template = temporaryFolder();
/** A copy is made 20 s after the start, and the deep check is then too; the machine may be busy. */
const careMaxMs = 120_000;
const quick = { SLUICE_WEB_HTTPS: '' };

before(() => fill(template, () => copyOf(template)));

const damages: Readonly<Record<string, (path: string) => void>> = {
  'its header overwritten': (path) => overwrite(path, 0, 100),
  'its middle overwritten': (path) => overwrite(path, 4_096 * 3, statSync(path).size - 4_096 * 6),
  'everything behind the first page overwritten': (path) =>
    overwrite(path, 4_096, statSync(path).size - 4_096),
  'cut in half': (path) => cut(path, statSync(path).size / 2),
  'cut to nothing': (path) => cut(path, 0),
  'another file in its place': (path) =>
    writeFileSync(path, 'Dear diary, today I replaced a database.\n'.repeat(500)),
};

// Those that wait for the service's own care come first and wait while the others run.
describe('a damaged database with a copy', { concurrency: 5 }, () => {
  const hidden: Readonly<Record<string, (path: string) => void>> = {
    'a page that is not read at start': damageRevisions,
    'the last page cut off': (path) => cut(path, statSync(path).size - 1_000),
  };
  for (const [name, damage] of Object.entries(hidden)) {
    test(`${name}: found by the deep check, and mended while the service runs`, async (t) => {
      const dir = clone();
      damage(join(dir, 'sluice.db'));
      const service = await bootDamaged(t, { dir });
      assert.equal((await service.call('GET', '/api/groups')).status, 200);
      await until('The damage is found', () => /error .*broken/.exec(service.log()) ?? undefined, careMaxMs);
      await until('It is mended', () => asideFiles(dir)[0]);
      await until('The service is back', async () => {
        const reply = await service.call('GET', '/api/groups').catch(() => undefined);
        return reply?.status === 200 ? true : undefined;
      });
      await assertRestored(service);
    });
  }

  test('the copy that the service has made by itself takes its place', async (t) => {
    const dir = temporaryFolder();
    await fill(dir, async (service) => {
      const hasCopy = async () => {
        const { body } = await service.call('GET', '/api/status');
        return at(body, 'status', 'database', 'newest_copy') ?? undefined;
      };
      await until('The first copy is made', hasCopy, careMaxMs);
    });
    overwrite(join(dir, 'sluice.db'), 0, 100);
    await assertRestored(await bootDamaged(t, { dir }));
  });

  for (const [name, damage] of Object.entries(damages)) {
    test(name, async (t) => {
      const dir = clone();
      damage(join(dir, 'sluice.db'));
      const service = await bootDamaged(t, { dir });
      await assertRestored(service);
    });
  }

  test('the newest copy damaged too: the one before it', async (t) => {
    const dir = clone();
    const [copy = ''] = readdirSync(join(dir, 'copies'));
    cpSync(join(dir, 'copies', copy), join(dir, 'copies', 'sluice-2001-01-01.db'));
    overwrite(join(dir, 'copies', copy), 4_096, 20_000);
    overwrite(join(dir, 'sluice.db'), 0, 100);
    const service = await bootDamaged(t, { dir });
    await assertRestored(service);
    await service.logged(/2001-01-01/);
  });

  test('what was restored is there at the next start, without another alarm', async (t) => {
    const dir = clone();
    overwrite(join(dir, 'sluice.db'), 0, 100);
    const first = await bootDamaged(t, { dir });
    const made = await first.call('POST', '/api/groups', { body: { name: 'after it was mended' } });
    assert.equal(made.status, 201);
    await first.stop();
    const second = await bootFor(t, { dir, env: quick });
    assert.match((await second.call('GET', '/api/groups')).text, /after it was mended/);
    assert.doesNotMatch(second.log(), /error /);
  });
});

describe('a damaged database without a copy', { concurrency: 2 }, () => {
  test('the service starts empty, with a new password', async (t) => {
    const dir = clone();
    rmSync(join(dir, 'copies'), { recursive: true });
    overwrite(join(dir, 'sluice.db'), 0, 100);
    const service = await bootDamaged(t, { dir, env: { ...quick, SLUICE_AUTH_PASSWORD: undefined } });
    await service.logged(/error .*sluice\.db.*broken/);
    await service.logged(/no good copy/i);
    assert.match(service.out(), /Password +\S{12,}/);
    assert.equal((await service.call('GET', '/api/groups')).status, 401);
    const { text } = await service.call('GET', '/api/groups', { via: 'control' });
    assert.doesNotMatch(text, /group 1/);
    assert.equal(asideFiles(dir).length, 1);
  });

  test('a database that is only away is not taken for a broken one', async (t) => {
    const dir = clone();
    const path = join(dir, 'sluice.db');
    renameSync(path, `${path}.mine`);
    // A folder in its place can be neither opened nor mended: that is for a person.
    cpSync(join(dir, 'copies'), path, { recursive: true });
    const running = launch(['serve'], { dir, env: { ...loopbackEnvironment, ...quick } });
    t.after(() => running.signal('SIGKILL'));
    await until('It says so', () => /sluice\.db|database/.exec(running.log()) ?? undefined);
    assert.equal(asideFiles(dir).length, 0);
  });
});

/** Writes much, has it copied, and writes once more. */
async function fill(dir: string, makeCopy: (service: Service) => Promise<void>): Promise<void> {
  const service = await boot({ dir, env: quick });
  const name = Array.from({ length: 400 }, (_, index) => `group ${index}`);
  const created = await service.call('POST', '/api/groups', { body: { name, comment: 'c'.repeat(500) } });
  assert.equal(created.status, 201);
  await makeCopy(service);
  const late = await service.call('POST', '/api/groups', { body: { name: 'after the copy' } });
  assert.equal(late.status, 201);
  await service.stop();
}

/** As the service would after a while. */
async function copyOf(dir: string): Promise<void> {
  mkdirSync(join(dir, 'copies'));
  const database = new DatabaseSync(join(dir, 'sluice.db'));
  await backup(database, join(dir, 'copies', `sluice-${new Date().toISOString().slice(0, 10)}.db`));
  database.close();
}

function clone(): string {
  const dir = temporaryFolder();
  cpSync(template, dir, { recursive: true });
  return dir;
}

/** The thread may die of what it finds; that it comes back is part of the test. */
function bootDamaged(t: TestContext, options: BootOptions): Promise<Service> {
  return bootFor(t, { env: quick, expectedFaults: /thread api died/, ...options });
}

async function assertRestored(service: Service): Promise<void> {
  const { text } = await service.call('GET', '/api/groups');
  assert.match(text, /"group 0"/);
  assert.match(text, /"group 399"/);
  assert.doesNotMatch(text, /after the copy/);
  // That it is broken, and what was done.
  await service.logged(/error .*sluice\.db.*broken/);
  await service.logged(/error .*copy of .* was restored/i);
  const [aside, ...more] = asideFiles(service.dir);
  assert.ok(aside !== undefined && more.length === 0, `Put aside: ${asideFiles(service.dir).join(' ')}`);
  await service.logged(new RegExp(RegExp.escape(aside)));
  const made = await service.call('POST', '/api/groups', { body: { name: 'life goes on' } });
  assert.equal(made.status, 201, made.text);
  assert.equal((await service.call('GET', '/api/health')).status, 200);
}

function asideFiles(dir: string): string[] {
  return readdirSync(dir).filter(
    (name) => /^sluice\.db\.broken-[^.]*$/.test(name) && !/-(?:wal|shm)$/.test(name),
  );
}

function overwrite(path: string, from: number, count: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(count, 'garbage!'), 0, count, from);
  closeSync(file);
}

function cut(path: string, sizeBytes: number): void {
  const file = openSync(path, 'r+');
  ftruncateSync(file, Math.floor(sizeBytes));
  closeSync(file);
}

/** Nothing reads the revisions at start: a page of theirs can be broken for long before anybody sees it. */
function damageRevisions(path: string): void {
  const database = new DatabaseSync(path);
  const page = database.prepare("select rootpage from sqlite_schema where name = 'revisions_at'").get();
  database.close();
  overwrite(path, (Number(at(page, 'rootpage')) - 1) * 4_096, 4_096);
}
