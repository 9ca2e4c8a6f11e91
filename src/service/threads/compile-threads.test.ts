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

function createCompiler(t: TestContext, jobMs?: number): CompileThreads {
  const options = { entry: threadEntry('compile'), ...(jobMs === undefined ? {} : { jobMs }) };
  const compiler = new CompileThreads(options);
  t.after(() => compiler.close());
  return compiler;
}

describe('the compile thread', () => {
  it('compiles, finds and searches, one request after the other', async (t) => {
    const { store, request, listsFolder, snapshotPath } = await compileScene(temporaryFolder(t));
    await store(1, namesText(5000));
    const compiler = createCompiler(t);
    const [first, second, found, searched] = await Promise.all([
      compiler.compile(request([block(1)])),
      compiler.compile(request([block(1)])),
      compiler.find({ listsFolder, lists: [{ id: 1 }], names: [wireName('host-77.example')] }),
      compiler.search({
        listsFolder,
        listIds: [1],
        text: 'host-77',
        maxHits: 3,
        untilMs: Infinity,
        isExact: false,
      }),
    ]);
    assert.ok(first.kind === 'built' && second.kind === 'built');
    assert.equal(await verdictIn(first.buffer, 'host-4999.example'), 'block');
    assert.equal(found?.[0]?.line, 78);
    assert.equal(searched?.hits.length, 3);
    assert.equal(loadSnapshotFile(snapshotPath).kind, 'loaded');
    const third = await compiler.compile(request([block(1)], { buffer: first.buffer }));
    // The buffer is shared memory: the thread wrote into the one that this test passed in.
    assert.ok(third.kind === 'built');
    const bytes = [first, third].map(({ buffer }) => Buffer.from(new Uint8Array(buffer).slice()));
    assert.ok(bytes[0]?.equals(bytes[1] ?? Buffer.alloc(0)));
  });

  it('examines lists that an update has fetched', async (t) => {
    const compiler = createCompiler(t);
    const examine = (path: string, bytes: number): ReturnType<CompileThreads['examine']> =>
      compiler.examine(path, bytes);
    const { updater } = await testUpdater(temporaryFolder(t), { examine });
    const base = await listServer(t, { '/list': textPage('ads.example\n'), '/page': textPage('<html>') });
    const lists = ['/list', '/page'].map((path, id) => ({ ...sudo, id, address: base + path }));
    const outcomes = await updater.update(lists, () => undefined);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      [1, 4],
    );
  });

  it('is shared by all lists of an update and replaced after a compilation', async (t) => {
    const { store, request } = await compileScene(temporaryFolder(t));
    await store(1, namesText(10));
    const compiler = createCompiler(t);
    let started = 0;
    const count = (): unknown => (started += 1);
    process.on('worker', count);
    t.after(() => process.off('worker', count));
    // A missing file is a normal result; it does not end the thread.
    for (let round = 0; round < 15; round++) await compiler.examine('/nowhere', 1);
    assert.equal(started, 1);
    for (let round = 0; round < 2; round++)
      assert.equal((await compiler.compile(request([block(1)]))).kind, 'built');
    assert.equal(started, 2);
  });

  it('that takes too long is terminated, and the old file stays', async (t) => {
    const folder = temporaryFolder(t);
    const { store, request, snapshotPath } = await compileScene(folder);
    await store(1, 'one.example\n');
    assert.equal((await createCompiler(t).compile(request([block(1)]))).kind, 'built');
    const file = readFileSync(snapshotPath);
    await store(1, namesText(1000));
    const outcome = await createCompiler(t, 1).compile(request([block(1)]));
    assert.ok(outcome.kind === 'failed');
    assert.match(outcome.reason, /did not finish within/);
    assert.ok(readFileSync(snapshotPath).equals(file));
  });

  it('that gets no idle time is restarted with low priority, also for later jobs', async (t) => {
    const { store, request } = await compileScene(temporaryFolder(t));
    await store(1, namesText(100));
    const priorities: unknown[] = [];
    const entry = new URL('../../testing/lists/patience-entry.ts', import.meta.url);
    const compiler = new CompileThreads({ entry, patienceMs: 500 });
    t.after(() => compiler.close());
    const note = (worker: Worker): unknown =>
      worker.on('message', (message) => priorities.push(message?.reason));
    process.on('worker', note);
    t.after(() => process.off('worker', note));
    for (let round = 0; round < 2; round++) await compiler.compile(request([block(1)]));
    assert.deepEqual(priorities, ['low', 'low']);
  });

  it('runs with idle priority, and ends without waiting for idle time', async (t) => {
    const { store, request } = await compileScene(temporaryFolder(t));
    await store(1, namesText(5000));
    const calls: (readonly [string, boolean])[] = [];
    const isOurs = (thread: number) => existsSync(`/proc/self/task/${thread}`);
    const scheduler = {
      onlyWhenIdle: (thread: number) => calls.push(['idle', isOurs(thread)]) > 0,
      idleNoMore: (thread: number) => calls.push(['no more', isOurs(thread)]) > 0,
    };
    const compiler = new CompileThreads({ entry: threadEntry('compile'), scheduler });
    t.after(() => compiler.close());
    assert.equal((await compiler.compile(request([block(1)]))).kind, 'built');
    assert.deepEqual(calls, [
      ['idle', true],
      ['no more', true],
    ]);
  });

  it('is not restarted after close, not even during a restart', async (t) => {
    const { store, request } = await compileScene(temporaryFolder(t));
    await store(1, namesText(100));
    let started = 0;
    const entry = new URL('../../testing/lists/patience-entry.ts', import.meta.url);
    const compiler = new CompileThreads({ entry, patienceMs: 300 });
    // When the first thread has exited, the restart is under way.
    const note = (worker: Worker): void => {
      started += 1;
      worker.once('exit', () => void compiler.close());
    };
    process.on('worker', note);
    t.after(() => process.off('worker', note));
    const outcome = await compiler.compile(request([block(1)]));
    assert.deepEqual([outcome.kind, started], ['failed', 1]);
  });

  it('that cannot be created fails its own job only', async (t) => {
    const { store, request } = await compileScene(temporaryFolder(t));
    await store(1, 'one.example\n');
    // `new Worker` throws, as on a machine that is out of threads.
    const options = { entry: new URL('http://not.a.file/') };
    const compiler = new CompileThreads(options);
    for (const time of ['first', 'second']) {
      const outcome = await compiler.compile(request([block(1)]));
      assert.ok(outcome.kind === 'failed', time);
      assert.match(outcome.reason, /cannot be started/u);
    }
    options.entry = threadEntry('compile');
    assert.equal((await compiler.compile(request([block(1)]))).kind, 'built');
    await compiler.close();
  });

  it('is not started after close', async (t) => {
    const { store, request, snapshotPath } = await compileScene(temporaryFolder(t));
    await store(1, 'one.example\n');
    const compiler = createCompiler(t);
    const running = compiler.compile(request([block(1)]));
    const waiting = compiler.compile(request([block(1)]));
    await new Promise(setImmediate);
    await compiler.close();
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
      const compiler = createCompiler(t);
      const outcome = await compiler.compile(request(files.map((_, id) => block(id))));
      assert.ok(outcome.kind === 'built', 'reason' in outcome ? outcome.reason : '');
      const entries = outcome.lists.map(({ report }) => report?.entries ?? 0);
      assert.ok(outcome.names > Math.max(...entries) && outcome.lists.every(({ refused }) => refused === 0));
      const invalid = outcome.lists.reduce((sum, { report }) => sum + (report?.invalid ?? 0), 0);
      assert.ok(invalid * 100 < entries.reduce((sum, count) => sum + count, 0), `${invalid} invalid lines`);
      const listIds = files.map((_, id) => id);
      const found = await compiler.search({
        listsFolder,
        listIds,
        isExact: false,
        text: 'doubleclick',
        maxHits: 20,
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
