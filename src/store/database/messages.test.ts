import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { Kysely } from 'kysely';
import { limits } from '#contract';
import type { Change } from './change.ts';
import { createMessageBoard, type MessageBoard } from './messages.ts';
import { databaseFile } from './open-file.ts';
import type { Tables } from './schema.ts';
import { sqliteDialect } from '#platform/sqlite';
import { openStorage } from './storage.ts';

interface Scene {
  readonly board: MessageBoard;
  readonly disk: { isFull: boolean };
  readonly counts: number[];
  readonly texts: () => Promise<readonly string[]>;
}

async function scene(t: TestContext): Promise<Scene> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-messages-'));
  let nowMs = 1000;
  const counts: number[] = [];
  const onMessages = (count: number): void => void counts.push(count);
  const storage = await openStorage({ dataDir, nowMs: () => nowMs++, onDamaged: () => undefined });
  assert.ok(typeof storage !== 'string');
  t.after(async () => {
    await storage.close();
    rmSync(dataDir, { recursive: true });
  });
  const disk = { isFull: false };
  const change: Change = async (actor, work) =>
    disk.isFull ? { ok: false, trouble: 'full', problem: 'No room.' } : storage.change(actor, work);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(new DatabaseSync(databaseFile(dataDir))) });
  t.after(() => db.destroy());
  const board = createMessageBoard(db, change, onMessages, () => nowMs++);
  return { board, disk, counts, texts: async () => (await board.list()).map(({ plain }) => plain) };
}

describe('diagnosis messages', () => {
  it('exist once per situation; a new text replaces the old one', async (t) => {
    const { board, counts, texts } = await scene(t);
    await board.put('held', '1', 'LIST', 'one');
    await board.put('held', '2', 'LIST', 'two');
    const [first] = await board.list();
    assert.deepEqual([first?.type, Number(first?.atMs) >= 1000], ['LIST', true]);
    await board.put('held', '1', 'LIST', 'one');
    assert.equal((await board.list())[0]?.id, first?.id, 'the same text stays as it is');
    await board.put('held', '1', 'LIST', 'one, otherwise');
    assert.deepEqual(await texts(), ['two', 'one, otherwise']);
    assert.deepEqual([await board.count(), counts], [2, [1, 2, 2]]);
  });

  it('end with their situation', async (t) => {
    const { board, counts, texts } = await scene(t);
    for (const key of ['1', '2', '3']) await board.put('held', key, 'LIST', `held ${key}`);
    await board.put('gone', '1', 'LIST', 'gone 1');
    await board.keepOnly('held', ['2']);
    assert.deepEqual(await texts(), ['held 2', 'gone 1']);
    await board.clear('gone', '1');
    await board.clear('gone', '1');
    await board.keepOnly('held', []);
    assert.deepEqual(await texts(), []);
    assert.deepEqual(counts.slice(4), [2, 1, 0], 'calls without effect publish nothing');
  });

  it('are removed by their ids', async (t) => {
    const { board } = await scene(t);
    await board.put('held', '1', 'LIST', 'one');
    const id = (await board.list())[0]?.id ?? 0;
    assert.deepEqual([await board.remove([id, 999]), await board.remove([id])], [1, 0]);
  });

  it('that cannot be written are kept in memory until they can', async (t) => {
    const { board, counts, texts, disk } = await scene(t);
    await board.put('health', 'history', 'DISK', 'stored');
    disk.isFull = true;
    await board.put('health', 'history', 'DISK', 'otherwise');
    await board.put('health', 'database', 'DISK', 'full');
    await board.put('health', 'database', 'DISK', 'full');
    assert.deepEqual(await texts(), ['otherwise', 'full'], 'the stored text is replaced');
    assert.deepEqual([await board.count(), counts], [2, [1, 1, 2]]);
    const ids = (await board.list()).map(({ id }) => id);
    assert.equal(await board.remove(ids.slice(1)), 1);
    disk.isFull = false;
    await board.put('health', 'history', 'DISK', 'otherwise');
    await board.clear('health', 'database');
    assert.deepEqual(await texts(), ['otherwise']);
    assert.ok(Number((await board.list())[0]?.id) < 1_000, 'it is stored now');
  });

  it('are bounded; the oldest are deleted', async (t) => {
    const { board, texts } = await scene(t);
    for (let at = 0; at <= limits.messages; at++) await board.put('held', String(at), 'LIST', `held ${at}`);
    assert.equal(await board.count(), limits.messages);
    assert.deepEqual([(await texts())[0], (await texts()).at(-1)], ['held 1', `held ${limits.messages}`]);
  });
});
