import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { limits } from '#contract';
import { undoItems } from './undo.ts';
import { createLog } from '#platform/log';
import { openStorage, type Storage } from '#store/database';
import { type Group, groupTable, pauseKey } from '#store/database/entities';
import { nextPauseEndSeconds, Pauses } from '#control/blocking';

const log = createLog({
  thread: 'api',
  level: () => 'error',
  format: 'text',
  nowMs: () => 0,
  write: () => undefined,
});

async function scene(context: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-pauses-'));
  const clock = { wallMs: 1_000_000_500, steadyMs: 0 };
  const nowMs = (): number => clock.wallMs;
  const opened: Storage[] = [];
  const open = async () => {
    const storage = await openStorage({ dataDir, nowMs, onDamaged: assert.fail });
    if (typeof storage === 'string') assert.fail(storage);
    opened.push(storage);
    const pauses = new Pauses({ storage, wallMs: nowMs, steadyMs: () => clock.steadyMs, log });
    context.after(() => pauses.close());
    return { storage, pauses };
  };
  context.after(async () => {
    for (const storage of opened) await storage.close();
    rmSync(dataDir, { recursive: true });
  });
  return { clock, open, ...(await open()) };
}

function shown(pauses: Pauses) {
  return pauses
    .inForce()
    .map((pause) => [pauseKey(pause), pause.until === null ? null : pause.until - 1_000_000]);
}

const tablet = { client: '192.168.1.5' };

async function mustInsert({ change }: Storage, name: string): Promise<Group> {
  const outcome = await change('me', (scope) =>
    groupTable.insert(scope, { name, comment: null, enabled: true }),
  );
  const group = outcome.ok ? outcome.value : undefined;
  return group ?? assert.fail('the group was not made');
}

describe('pauses', () => {
  it('continue when they are extended at the moment of their end', async (context) => {
    const { pauses, clock } = await scene(context);
    await pauses.begin('me', tablet, 60);
    await pauses.deleteExpired();
    clock.wallMs -= 3_600_000;
    clock.steadyMs += 61_000;
    await Promise.all([pauses.begin('me', tablet, 900), pauses.deleteExpired()]);
    assert.equal(pauses.inForce().length, 1);
  });

  it('expire at most a hundred at a time', async (context) => {
    const { pauses, clock } = await scene(context);
    for (let host = 0; host < 101; host++) await pauses.begin('me', { client: `10.0.0.${host}` }, 60);
    await pauses.deleteExpired();
    clock.wallMs -= 3_600_000;
    clock.steadyMs += 61_000;
    await pauses.deleteExpired();
    assert.equal(pauses.inForce().length, 1);
    await pauses.deleteExpired();
    assert.equal(pauses.inForce().length, 0);
  });

  it('are not extended when the system clock is set back', async (context) => {
    const { pauses, clock } = await scene(context);
    await pauses.begin('me', tablet, 60);
    await pauses.deleteExpired();
    clock.wallMs -= 3_600_000;
    clock.steadyMs += 59_000;
    await pauses.deleteExpired();
    assert.equal(pauses.inForce().length, 1);
    clock.steadyMs += 2_000;
    await pauses.deleteExpired();
    assert.equal(pauses.inForce().length, 0);
  });

  it('can be started, changed and ended, each with a revision', async (context) => {
    const { pauses, storage } = await scene(context);
    await pauses.begin('me', tablet, 60);
    await pauses.begin('me', { group_id: 0 }, undefined);
    assert.deepEqual(shown(pauses), [
      ['client 192.168.1.5', 61],
      ['group 0', null],
    ]);
    await pauses.begin('me', tablet, undefined);
    await pauses.end('me', { group_id: 0 });
    await pauses.end('me', { group_id: 0 });
    assert.deepEqual(shown(pauses), [['client 192.168.1.5', null]]);
    const revisions = await storage.revisions.list(10, undefined);
    assert.deepEqual(
      revisions.map(({ entity, before, after }) => [entity, before !== null, after !== null]),
      [
        ['pause', true, false],
        ['pause', true, true],
        ['pause', false, true],
        ['pause', false, true],
      ],
    );
  });

  it('expire at their end and not earlier, without a revision', async (context) => {
    const { clock, pauses, storage } = await scene(context);
    await pauses.begin('me', tablet, 1.2);
    const all = storage.read.pauses.filter(() => true);
    assert.equal(nextPauseEndSeconds(all, 1_000_000), 1_000_002);
    clock.wallMs += 1_499;
    await pauses.deleteExpired();
    assert.equal(pauses.inForce().length, 1);
    clock.wallMs += 1;
    assert.equal(pauses.inForce().length, 0, 'it is not in force before it is deleted');
    await pauses.deleteExpired();
    assert.equal(storage.read.pauses.size, 0);
    assert.equal((await storage.revisions.list(10, undefined)).length, 1);
  });

  it('survive a restart unless they expire meanwhile', async (context) => {
    const { clock, pauses, storage, open } = await scene(context);
    await pauses.begin('me', tablet, 10);
    await pauses.begin('me', { client: 'aa:bb:cc:dd:ee:ff' }, 1_000);
    await storage.close();
    clock.wallMs += 60_000;
    const again = await open();
    assert.deepEqual(shown(again.pauses), [['client aa:bb:cc:dd:ee:ff', 1_001]]);
    await again.pauses.deleteExpired();
    assert.equal(again.storage.read.pauses.size, 1);
  });

  it('are deleted with their group', async (context) => {
    const { pauses, storage } = await scene(context);
    const group = await mustInsert(storage, 'kids');
    await pauses.begin('me', { group_id: group.id }, undefined);
    await storage.change('me', (scope) => groupTable.remove(scope, group));
    assert.equal(pauses.inForce().length, 0);
  });

  it('are limited in number, and a running one can still be extended at the limit', async (context) => {
    const { pauses, storage } = await scene(context);
    const rows = Array.from({ length: limits.pauses }, (_, index) => ({ client: `10.0.0.0/${index}` }));
    await storage.change('me', ({ db }) => db.insertInto('pauses').values(rows).execute());
    const failure = await pauses.begin('me', tablet, 60);
    assert.equal(failure?.failure, 'collectionFull');
    assert.equal(await pauses.begin('me', { client: '10.0.0.0/8' }, 60), undefined);
  });

  it('can be undone after a start, a change and an end, but not without their group', async (context) => {
    const { pauses, storage } = await scene(context);
    const undoLast = async (): Promise<string | undefined> => {
      const [revision] = await storage.revisions.list(1, undefined);
      if (revision === undefined) assert.fail('nothing to undo');
      const outcome = await storage.change('me', (scope) => undoItems(scope, [revision], storage.read));
      return outcome.ok ? outcome.value?.failure : assert.fail(outcome.problem);
    };
    const group = await mustInsert(storage, 'kids');
    await pauses.begin('me', { group_id: group.id }, 60);
    await pauses.begin('me', { group_id: group.id }, 90);
    await undoLast();
    assert.deepEqual(shown(pauses), [[`group ${group.id}`, 61]]);
    await pauses.end('me', { group_id: group.id });
    await undoLast();
    assert.deepEqual(shown(pauses), [[`group ${group.id}`, 61]]);
    await undoLast();
    assert.deepEqual(shown(pauses), []);
    await pauses.begin('me', { group_id: group.id }, 60);
    await pauses.end('me', { group_id: group.id });
    const [ended] = await storage.revisions.list(1, undefined);
    await storage.change('me', (scope) => groupTable.remove(scope, group));
    if (ended === undefined) assert.fail('nothing to undo');
    const outcome = await storage.change('me', (scope) => undoItems(scope, [ended], storage.read));
    assert.equal(outcome.ok && outcome.value?.failure, 'notUndoable');
  });
});
