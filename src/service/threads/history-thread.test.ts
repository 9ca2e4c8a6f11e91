// The real history thread. The test writes to the record ring in place of a dns worker, and queries the
// thread with the client of the api thread. No recorded query is lost when the thread is replaced.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { MessageChannel, Worker } from 'node:worker_threads';
import { until } from '../../../test/running/waiting.ts';
import { countersBytes, makeRecordRing, RecordWriter } from '#engine';
import { addressText, nameFromText } from '#wire';
import {
  type FromHistory,
  HistoryClient,
  type HistoryPlan,
  type HistoryThreadData,
  makeCancelled,
  type NewQueries,
  type ToHistory,
} from '#history/thread';
import { sharedClockMs, wallClockMs } from '#platform/time';
import { madeAddress, writeQuery, type MadeQuery } from '#testing/history/generator';
import { journalFile } from '#history/segments';
import { threadEntry } from '#testing/service/thread-entry';
import { everything } from '#testing/history/plan';

const cachedQuery: MadeQuery = {
  timeMs: 0,
  name: 0,
  client: 0,
  type: 1,
  origin: 2,
  reason: 0,
  listId: 0,
  ruleId: 0,
  upstream: -1,
  replyKind: 4,
  rcode: 0,
  dnssec: 0,
  durationUs: 10,
};
const options = { limitMs: 30_000 };

class Scene {
  readonly dataDir: string;
  readonly records = makeRecordRing(1 << 16);
  readonly counters = new SharedArrayBuffer(countersBytes);
  readonly situations: string[] = [];
  /** Clients that the thread has reported as new. */
  readonly newClients: string[] = [];
  readonly client: HistoryClient;
  readonly workers: Worker[] = [];
  readonly #writer = new RecordWriter(this.records);
  #plan = everything;

  constructor(t: TestContext) {
    this.dataDir = mkdtempSync(join(tmpdir(), 'sluice-history-'));
    this.client = new HistoryClient({
      want: () => undefined,
      sharedMs: sharedClockMs,
      onClients: (addresses) => this.newClients.push(...addresses.map(addressText)),
      onSituation: (name, text) => this.situations.push(`${name}: ${text ?? 'over'}`),
    });
    t.after(async () => {
      this.client.close();
      await Promise.all(this.workers.map((worker) => worker.terminate()));
      rmSync(this.dataDir, { recursive: true, force: true });
    });
  }

  /** Writes a record as a dns worker does; the address follows from the client number. */
  record(name: string, client = 1): void {
    const query: MadeQuery = { ...cachedQuery, timeMs: wallClockMs(), client };
    writeQuery(this.#writer, query, nameFromText(name) ?? Uint8Array.of(0));
    this.#writer.publish();
  }

  async start(): Promise<Worker> {
    const workerData: HistoryThreadData = {
      dataDir: this.dataDir,
      compileCacheDir: join(tmpdir(), 'sluice-history-cache'),
      heartbeat: new Int32Array(new SharedArrayBuffer(4)),
      plan: this.#plan,
      seeds: [1, 2],
      dnsMemory: [{ records: this.records, counters: this.counters }],
    };
    const worker = new Worker(threadEntry('history'), { workerData });
    this.workers.push(worker);
    await nextMessage(worker, 'ready');
    this.#connect(worker);
    return worker;
  }

  #connect(worker: Worker): void {
    const { port1, port2 } = new MessageChannel();
    const cancelled = makeCancelled();
    this.client.connect({ port: port1, cancelled });
    worker.postMessage({ kind: 'line', line: { port: port2, cancelled } } satisfies ToHistory, [port2]);
  }

  async plan(worker: Worker, plan: Partial<HistoryPlan>): Promise<void> {
    this.#plan = { ...everything, ...plan };
    const planned = nextMessage(worker, 'planned');
    worker.postMessage({ kind: 'plan', plan: this.#plan } satisfies ToHistory);
    await planned;
  }

  async stop(worker: Worker): Promise<void> {
    const stopped = nextMessage(worker, 'stopped');
    worker.postMessage({ kind: 'stop' } satisfies ToHistory);
    await stopped;
    await worker.terminate();
  }

  journalBytes(): number {
    return statSync(journalFile(this.dataDir, 0), { throwIfNoEntry: false })?.size ?? 0;
  }

  /** The names of all rows, the newest first. */
  async names(): Promise<readonly string[]> {
    const answer = await this.client.query('page', { start: 0, length: 100 }, options);
    assert.ok(answer.ok, answer.ok ? '' : answer.problem);
    return answer.value.rows.map(({ domain, clientIp }) => `${domain} ${clientIp}`);
  }
}

/** Skips messages of other kinds. */
async function nextMessage(worker: Worker, kind: FromHistory['kind']): Promise<void> {
  for (let count = 0; count < 100; count++) {
    const [message]: FromHistory[] = await once(worker, 'message', { signal: AbortSignal.timeout(60_000) });
    if (message?.kind === kind) return;
  }
}

const one = madeAddress(1);
const two = madeAddress(2);

describe('the history thread', () => {
  test('answers at once with recorded queries, clients and new queries', async (t) => {
    const scene = new Scene(t);
    scene.record('before.example');
    await scene.start();
    scene.record('a.example', 2);
    assert.deepEqual(await scene.names(), [`a.example ${two}`, `before.example ${one}`]);
    assert.deepEqual(
      new Set((await scene.client.seen()).map(({ address }) => address.at(-1))),
      new Set([1, 2]),
    );
    const { promise, resolve } = Promise.withResolvers<NewQueries>();
    const end = scene.client.subscribeToQueries(resolve);
    assert.equal((await scene.client.query('figures', undefined, options)).ok, true);
    scene.record('live.example');
    const { rows, skipped } = await promise;
    end();
    assert.deepEqual([rows.map(({ domain }) => domain), skipped], [['live.example'], 0]);
  });

  test('reports new clients once, and filters and shows queries by the names it gets', async (t) => {
    const scene = new Scene(t);
    await scene.start();
    scene.record('a.example', 1);
    scene.record('b.example', 2);
    await until('both clients are reported', () => scene.newClients.length >= 2 || undefined);
    assert.deepEqual(scene.newClients.toSorted(), [one, two]);
    scene.client.setClientNames([
      { address: two, name: 'tablet.lan' },
      { address: '10.9.9.9', name: 'unknown.lan' },
    ]);
    const page = await scene.client.query('page', { start: 0, length: 9, clientName: 'tab*' }, options);
    assert.deepEqual(page.ok && page.value.rows.map(({ clientName }) => clientName), ['tablet.lan']);
    const range = { fromMs: 0, untilMs: Infinity };
    const top = await scene.client.query('topClients', { ...range, isBlocked: false, count: 9 }, options);
    assert.deepEqual(top.ok && top.value.clients.map(({ name }) => name).toSorted(), ['', 'tablet.lan']);
    scene.client.setClientNames([{ address: two, name: '' }]);
    scene.record('again.example', 2);
    assert.equal((await scene.names()).length, 3);
    scene.record('c.example', 3);
    await until('the third client is reported', () => scene.newClients.includes(madeAddress(3)) || undefined);
    assert.deepEqual(scene.newClients.toSorted(), [one, two, madeAddress(3)], 'each client is reported once');
    const suggestions = await scene.client.query('suggestions', { ...range, count: 9 }, options);
    assert.deepEqual(suggestions.ok && suggestions.value.clients.map(({ name }) => name), ['', '', '']);
  });

  test('that is killed is replaced by one that has every query of the journal and the ring', async (t) => {
    const scene = new Scene(t);
    const first = await scene.start();
    const emptyBytes = scene.journalBytes();
    scene.record('written.example');
    assert.equal((await scene.names()).length, 1);
    await until('the query is in the journal', () => scene.journalBytes() > emptyBytes || undefined);
    const page = scene.client.query('page', { start: 0, length: 10 }, options);
    await first.terminate();
    scene.record('meanwhile.example');
    const waiting = scene.names();
    await scene.start();
    assert.deepEqual(await waiting, [`meanwhile.example ${one}`, `written.example ${one}`]);
    assert.equal((await page).ok, true, 'the second thread answers a question to the first');
  });

  test('loses nothing when it is stopped, and its successor waits for it', async (t) => {
    const scene = new Scene(t);
    const first = await scene.start();
    scene.record('first.example');
    assert.equal((await scene.names()).length, 1);
    scene.record('second.example');
    const second = scene.start();
    await once(scene.workers[1] ?? assert.fail(), 'online');
    await scene.stop(first);
    await second;
    assert.deepEqual(await scene.names(), [`second.example ${one}`, `first.example ${one}`]);
    assert.deepEqual(scene.situations, []);
  });

  test('records only what privacy level and exclusions allow', async (t) => {
    const scene = new Scene(t);
    const worker = await scene.start();
    const cases: [Partial<HistoryPlan>, string[]][] = [
      [{ privacyLevel: 1 }, [`hidden ${one}`]],
      [{ privacyLevel: 2 }, ['hidden 0.0.0.0']],
      [{ privacyLevel: 3 }, []],
      [{ leaveOutDomains: ['X.example.'] }, []],
      [{ leaveOutDomains: ['b.x.example', 'other.example', 'ple'] }, [`a.x.example ${one}`]],
      [{ leaveOutClients: ['10.0.0.0/24'] }, []],
      [{ leaveOutClients: ['10.0.1.0/24', '2001:db8::1'] }, [`a.x.example ${one}`]],
    ];
    for (const [plan, kept] of cases) {
      await scene.plan(worker, plan);
      const before = await scene.names();
      scene.record('a.x.example');
      const after = await scene.names();
      assert.deepEqual(after.slice(0, after.length - before.length), kept, JSON.stringify(plan));
    }
    const range = { fromMs: 0, untilMs: Infinity, isBlocked: false, count: 1 };
    const names = await scene.client.query('topDomains', range, options);
    assert.deepEqual(names.ok && names.value.domains, [{ domain: 'a.x.example', count: 2 }]);
    const clients = await scene.client.query('topClients', range, options);
    assert.deepEqual(clients.ok && clients.value.clients, [{ ip: one, name: '', count: 3 }]);
  });

  test('puts a broken file aside, starts a new one, and reports it', async (t) => {
    const scene = new Scene(t);
    writeFileSync(join(scene.dataDir, 'history.db'), 'no database '.repeat(1000));
    await scene.start();
    scene.record('new.example');
    assert.deepEqual(await scene.names(), [`new.example ${one}`]);
    assert.match(scene.situations.join('\n'), /^broken: .*put aside as .*history\.db\.broken-/);
    assert.equal(readdirSync(scene.dataDir).filter((name) => name.includes('.broken-')).length, 1);
  });

  test('skips a damaged part of its journal, and reports it', async (t) => {
    const scene = new Scene(t);
    const first = await scene.start();
    scene.record('written.example');
    await scene.stop(first);
    const path = journalFile(scene.dataDir, 0);
    writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from('noise, and long enough')]));
    await scene.start();
    scene.record('new.example');
    assert.deepEqual(await scene.names(), [`new.example ${one}`, `written.example ${one}`]);
    assert.match(
      scene.situations.join('\n'),
      /^journal: .*: 22 bytes of .*history-journal-0\.bin could not be/,
    );
  });

  test('reports a folder that cannot be written, and continues when it can', async (t) => {
    const scene = new Scene(t);
    rmSync(scene.dataDir, { recursive: true });
    await scene.start();
    scene.record('waiting.example');
    const refused = await scene.client.query('page', { start: 0, length: 1 }, options);
    assert.match(refused.ok ? '' : refused.problem, /cannot be opened/);
    mkdirSync(scene.dataDir);
    await until('the disk is in order', () => scene.situations.at(-1) === 'disk: over' || undefined);
    assert.deepEqual(await scene.names(), [`waiting.example ${one}`]);
    assert.match(scene.situations.join('\n'), /^disk: The history in .* cannot be opened[^]*\ndisk: over$/);
  });

  test('is no longer awaited by a caller that left or timed out', async (t) => {
    const scene = new Scene(t);
    const leaving = new AbortController();
    const figures = scene.client.query('figures', undefined, { limitMs: 60_000, signal: leaving.signal });
    leaving.abort();
    assert.match(JSON.stringify(await figures), /caller has cancelled/);
    // The client adds 10 s to the limit.
    const late = await scene.client.query('figures', undefined, { limitMs: -10_000 });
    assert.match(JSON.stringify(late), /did not answer in time/);
    const many = Array.from({ length: 200 }, () =>
      scene.client.query('figures', undefined, { limitMs: -10_000 }),
    );
    const problems = (await Promise.all(many)).map((answer) => (answer.ok ? '' : answer.problem));
    assert.equal(problems.filter((problem) => problem.startsWith('Too many')).length, 200 - 128);
  });
});
