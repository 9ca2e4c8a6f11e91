import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { threadEntry } from '#testing/service/thread-entry';
import { CompileThreads } from '#lists/compile';
import { loadSnapshotFile } from '#lists/snapshot';
import { block, compileScene, verdictIn, wireName } from '#testing/lists/compile-scene';
import {
  listServer,
  namesText,
  sudo,
  temporaryFolder,
  testUpdater,
  textPage,
} from '#testing/lists/list-scene';

function threads(t: TestContext, jobMs?: number): CompileThreads {
  const options = { entry: threadEntry('compile'), ...(jobMs === undefined ? {} : { jobMs }) };
  const made = new CompileThreads(options);
  t.after(() => made.close());
  return made;
}

describe('the compile thread', () => {
  it('compiles, finds and searches, one request after the other', async (t) => {
    const { store, request, listsFolder, snapshotPath } = await compileScene(temporaryFolder(t));
    await store(1, namesText(5000));
    const desk = threads(t);
    const [first, second, found, searched] = await Promise.all([
      desk.compile(request([block(1)])),
      desk.compile(request([block(1)])),
      desk.find({ listsFolder, lists: [{ id: 1 }], names: [wireName('host-77.example')] }),
      desk.search({
        listsFolder,
        listIds: [1],
        text: 'host-77',
        hitsMax: 3,
        untilMs: Infinity,
        isExact: false,
      }),
    ]);
    assert.ok(first.kind === 'built' && second.kind === 'built');
    assert.equal(await verdictIn(first.buffer, 'host-4999.example'), 'block');
    assert.equal(found?.[0]?.line, 78);
    assert.equal(searched?.hits.length, 3);
    assert.equal(loadSnapshotFile(snapshotPath).kind, 'loaded');
    const third = await desk.compile(request([block(1)], { buffer: first.buffer }));
    // The same memory, seen from here: what the thread wrote stands in the buffer that we had.
    assert.ok(third.kind === 'built');
    const bytes = [first, third].map(({ buffer }) => Buffer.from(new Uint8Array(buffer).slice()));
    assert.ok(bytes[0]?.equals(bytes[1] ?? Buffer.alloc(0)));
  });

  it('examines what an update has fetched', async (t) => {
    const desk = threads(t);
    const examine = (path: string, bytes: number): ReturnType<CompileThreads['examine']> =>
      desk.examine(path, bytes);
    const { updater } = await testUpdater(temporaryFolder(t), { examine });
    const base = await listServer(t, { '/list': textPage('ads.example\n'), '/page': textPage('<html>') });
    const lists = ['/list', '/page'].map((path, id) => ({ ...sudo, id, address: base + path }));
    const outcomes = await updater.update(lists, () => undefined);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      [1, 4],
    );
  });

  it('is shared by all lists of an update, and replaced once they are compiled', async (t) => {
    const { store, request } = await compileScene(temporaryFolder(t));
    await store(1, namesText(10));
    const desk = threads(t);
    let started = 0;
    const count = (): unknown => (started += 1);
    process.on('worker', count);
    t.after(() => process.off('worker', count));
    // A file that is not there is an answer like another.
    for (let round = 0; round < 15; round++) await desk.examine('/nowhere', 1);
    assert.equal(started, 1);
    for (let round = 0; round < 2; round++)
      assert.equal((await desk.compile(request([block(1)]))).kind, 'built');
    assert.equal(started, 2);
  });

  it('that takes too long is terminated, and the old file stays', async (t) => {
    const folder = temporaryFolder(t);
    const { store, request, snapshotPath } = await compileScene(folder);
    await store(1, 'one.example\n');
    assert.equal((await threads(t).compile(request([block(1)]))).kind, 'built');
    const file = readFileSync(snapshotPath);
    await store(1, namesText(1000));
    const outcome = await threads(t, 1).compile(request([block(1)]));
    assert.ok(outcome.kind === 'failed');
    assert.match(outcome.reason, /did not finish within/);
    assert.ok(readFileSync(snapshotPath).equals(file));
  });

  it('that gets no idle time is restarted with low priority, also for later jobs', async (t) => {
    const { store, request } = await compileScene(temporaryFolder(t));
    await store(1, namesText(100));
    const turns: unknown[] = [];
    const entry = new URL('../../testing/lists/patience-entry.ts', import.meta.url);
    const desk = new CompileThreads({ entry, patienceMs: 500 });
    t.after(() => desk.close());
    const note = (worker: Worker): unknown => worker.on('message', (said) => turns.push(said?.reason));
    process.on('worker', note);
    t.after(() => process.off('worker', note));
    for (let round = 0; round < 2; round++) await desk.compile(request([block(1)]));
    assert.deepEqual(turns, ['low', 'low']);
  });

  it('runs with idle priority, and ends without waiting for idle time', async (t) => {
    const { store, request } = await compileScene(temporaryFolder(t));
    await store(1, namesText(5000));
    const told: (readonly [string, boolean])[] = [];
    const isOurs = (thread: number) => existsSync(`/proc/self/task/${thread}`);
    const scheduler = {
      onlyWhenIdle: (thread: number) => told.push(['idle', isOurs(thread)]) > 0,
      idleNoMore: (thread: number) => told.push(['no more', isOurs(thread)]) > 0,
    };
    const desk = new CompileThreads({ entry: threadEntry('compile'), scheduler });
    t.after(() => desk.close());
    assert.equal((await desk.compile(request([block(1)]))).kind, 'built');
    assert.deepEqual(told, [
      ['idle', true],
      ['no more', true],
    ]);
  });

  it('is not restarted after close, not even during a restart', async (t) => {
    const { store, request } = await compileScene(temporaryFolder(t));
    await store(1, namesText(100));
    let started = 0;
    const entry = new URL('../../testing/lists/patience-entry.ts', import.meta.url);
    const desk = new CompileThreads({ entry, patienceMs: 300 });
    // The first thread has been given up, and its successor is what comes next.
    const note = (worker: Worker): void => {
      started += 1;
      worker.once('exit', () => void desk.close());
    };
    process.on('worker', note);
    t.after(() => process.off('worker', note));
    const outcome = await desk.compile(request([block(1)]));
    assert.deepEqual([outcome.kind, started], ['failed', 1]);
  });

  it('that cannot be created fails its own job only', async (t) => {
    const { store, request } = await compileScene(temporaryFolder(t));
    await store(1, 'one.example\n');
    // Refused before there is a thread, as by a machine that has no more of them.
    const options = { entry: new URL('http://not.a.file/') };
    const desk = new CompileThreads(options);
    for (const time of ['first', 'second']) {
      const outcome = await desk.compile(request([block(1)]));
      assert.ok(outcome.kind === 'failed', time);
      assert.match(outcome.reason, /cannot be started/u);
    }
    options.entry = threadEntry('compile');
    assert.equal((await desk.compile(request([block(1)]))).kind, 'built');
    await desk.close();
  });

  it('is not started after close', async (t) => {
    const { store, request, snapshotPath } = await compileScene(temporaryFolder(t));
    await store(1, 'one.example\n');
    const desk = threads(t);
    const running = desk.compile(request([block(1)]));
    const waiting = desk.compile(request([block(1)]));
    await new Promise(setImmediate);
    await desk.close();
    assert.deepEqual([(await running).kind, (await waiting).kind], ['failed', 'failed']);
    assert.ok(!existsSync(snapshotPath));
  });
});

const realLists = process.env['SLUICE_TEST_LISTS'];

if (realLists !== undefined) {
  describe('real lists', () => {
    it('are fetched, compiled, found and searched', async (t) => {
      const { store, request, listsFolder } = await compileScene(temporaryFolder(t));
      const files = readdirSync(realLists).filter((name) => name.endsWith('.txt'));
      for (const [id, name] of files.entries())
        assert.equal(await store(id, readFileSync(join(realLists, name), 'utf8')), 1, name);
      const desk = threads(t);
      const outcome = await desk.compile(request(files.map((_, id) => block(id))));
      assert.ok(outcome.kind === 'built', 'reason' in outcome ? outcome.reason : '');
      const entries = outcome.lists.map(({ report }) => report?.entries ?? 0);
      assert.ok(outcome.names > Math.max(...entries) && outcome.lists.every(({ refused }) => refused === 0));
      const invalid = outcome.lists.reduce((sum, { report }) => sum + (report?.invalid ?? 0), 0);
      assert.ok(invalid * 100 < entries.reduce((sum, count) => sum + count, 0), `${invalid} invalid lines`);
      const listIds = files.map((_, id) => id);
      const found = await desk.search({
        listsFolder,
        listIds,
        isExact: false,
        text: 'doubleclick',
        hitsMax: 20,
        untilMs: Infinity,
      });
      assert.ok(found?.isComplete === true && found.hits.length === 20);
      t.diagnostic(
        `${outcome.names} names of ${entries.join(' + ')} entries in ${Math.round(outcome.tookMs)} ms, ` +
          `${outcome.snapshotBytes} bytes`,
      );
    });
  });
}
