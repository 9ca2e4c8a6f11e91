// kill -9 at random moments, many times in one data folder, while several clients write: afterwards every
// acknowledged write is there, the database is intact, and no id was used twice. The moments come from a seed
// that every failure names; SLUICE_TEST_SEED repeats them.

import assert from 'node:assert/strict';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { boot, bootFor, loopbackEnvironment, type Service } from './running/boot.ts';
import { temporaryFolder } from './running/folder.ts';
import { launch } from './running/program.ts';
import { at, listAt } from './running/reply.ts';
import { seeded } from './running/seeded.ts';
import { until, within } from './running/waiting.ts';

const rounds = 25;
const clients = 4;
/** How many writes are acknowledged before each kill, however slow the machine is. */
const writesPerRound = 5;
const patienceMs = 60_000;
const { seed, random } = seeded();
/** A service without HTTPS starts faster, and this tests the storage. */
const env = { SLUICE_WEB_HTTPS: '' };

/** What the service has acknowledged to the clients, by name. */
type Acknowledged = {
  readonly present: Map<string, number>;
  readonly deleted: Set<string>;
  /** Names of requests without a reply: the service may have executed them or not. */
  readonly open: Set<string>;
  readonly ids: Set<number>;
};

describe('kill -9', () => {
  test(`${rounds} times while clients write: no acknowledged write is lost (seed ${seed})`, async (t) => {
    const dir = temporaryFolder();
    const acknowledged: Acknowledged = {
      present: new Map(),
      deleted: new Set(),
      open: new Set(),
      ids: new Set([0]),
    };
    for (let round = 0; round < rounds; round++) {
      const service = await boot({ dir, env });
      await assertKept(service, acknowledged, `seed ${seed}, round ${round}`);
      const writers = Array.from({ length: clients }, (_, client) =>
        write(service, acknowledged, `${round}-${client}`),
      );
      const wanted = acknowledged.ids.size + writesPerRound;
      const hasWritten = (): true | undefined => (acknowledged.ids.size >= wanted ? true : undefined);
      await until(`seed ${seed}, round ${round}: some writes`, hasWritten, patienceMs);
      await sleep(random() * 200);
      await service.kill();
      await Promise.all(writers);
      assertSound(dir, `seed ${seed}, round ${round}`);
    }
    const last = await bootFor(t, { dir, env });
    await assertKept(last, acknowledged, `seed ${seed}, at the end`);
  });

  test(`during the first start: the next start works (seed ${seed})`, async (t) => {
    for (let round = 0; round < 5; round++) {
      const dir = temporaryFolder();
      const running = launch(['serve'], { dir, env: { ...loopbackEnvironment, ...env } });
      await sleep(100 + random() * 900);
      running.signal('SIGKILL');
      await within('The killed service is gone', patienceMs, running.ended);
      if (existsSync(join(dir, 'sluice.db'))) assertSound(dir, `seed ${seed}, round ${round}`);
      const service = await bootFor(t, { dir, env });
      const { body } = await service.call('GET', '/api/groups');
      assert.deepEqual(at(body, 'groups', 0, 'name'), 'Default', `seed ${seed}, round ${round}`);
      await service.stop();
    }
  });
});

/** Creates groups and deletes some of them, until the service is gone. */
async function write(service: Service, acknowledged: Acknowledged, client: string): Promise<void> {
  for (let count = 0; ; count++) {
    const name = `${client}-${count}`;
    const via = count % 2 === 0 ? 'http' : 'control';
    acknowledged.open.add(name);
    const created = await service.call('POST', '/api/groups', { body: { name }, via }).catch(() => undefined);
    if (created === undefined) return;
    assert.equal(created.status, 201, created.text);
    acknowledged.open.delete(name);
    const id = Number(at(created.body, 'groups', 0, 'id'));
    assert.ok(!acknowledged.ids.has(id), `seed ${seed}: the id ${id} was given twice.`);
    acknowledged.ids.add(id);
    acknowledged.present.set(name, id);
    if (count % 3 !== 2) continue;
    acknowledged.present.delete(name);
    acknowledged.open.add(name);
    const deleted = await service.call('DELETE', `/api/groups/${name}`, { via }).catch(() => undefined);
    if (deleted === undefined) return;
    assert.equal(deleted.status, 204, deleted.text);
    acknowledged.open.delete(name);
    acknowledged.deleted.add(name);
  }
}

async function assertKept(service: Service, acknowledged: Acknowledged, where: string): Promise<void> {
  const { body } = await service.call('GET', '/api/groups');
  const found = new Map(
    listAt(body, 'groups').map((group) => [String(at(group, 'name')), Number(at(group, 'id'))] as const),
  );
  const lost = [...acknowledged.present].filter(([name, id]) => found.get(name) !== id);
  assert.deepEqual(lost, [], `${where}: acknowledged and lost`);
  const back = [...acknowledged.deleted].filter((name) => found.has(name));
  assert.deepEqual(back, [], `${where}: deleted and back`);
  const known = (name: string): boolean =>
    acknowledged.present.has(name) || acknowledged.open.has(name) || name === 'Default';
  const strange = [...found.keys()].filter((name) => !known(name));
  assert.deepEqual(strange, [], `${where}: from nowhere`);
  // A group written without a reply has an id too, and no other group may get it.
  for (const id of found.values()) acknowledged.ids.add(id);
}

/** Checks a copy, so that the next service finds its files as the kill has left them. */
function assertSound(dir: string, where: string): void {
  const aside = temporaryFolder();
  for (const name of ['sluice.db', 'sluice.db-wal']) {
    if (existsSync(join(dir, name))) cpSync(join(dir, name), join(aside, name));
  }
  const database = new DatabaseSync(join(aside, 'sluice.db'));
  const row = database.prepare('pragma integrity_check').get();
  database.close();
  assert.equal(at(row, 'integrity_check'), 'ok', where);
}
