// The keeper with the rings of several workers: one log in the order of time. And disk trouble that occurs
// before the first request.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { countersBytes, makeRecordRing, RecordWriter } from '#engine';
import { wallClockMs } from '#platform/time';
import { Generator, type MadeQuery } from '#testing/history/generator';
import { endless } from '#testing/history/store';
import { HistoryKeeper } from './keeper.ts';
import { everything } from '#testing/history/plan';

const workers = 3;
const generated = { seed: 1, rows: 1, hours: 1, names: 50, clients: 5, fromMs: 0 };

function scene(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-history-'));
  const clock = { aheadMs: 0 };
  const notices: string[] = [];
  const parts = {
    dataDir,
    seeds: [1, 2],
    wallMs: () => wallClockMs() + clock.aheadMs,
    notice: (_: string, text: string) => void notices.push(text),
  } as const;
  const keeper = new HistoryKeeper({ ...parts, onSituation: () => undefined }, everything);
  const memory = Array.from({ length: workers }, () => ({
    records: makeRecordRing(1 << 18),
    counters: new SharedArrayBuffer(countersBytes),
  }));
  keeper.setDnsMemory(memory);
  assert.ok(keeper.tryOpen());
  t.after(() => {
    keeper.close();
    assert.deepEqual(notices, []);
    rmSync(dataDir, { recursive: true });
  });
  const writers = memory.map(({ records }) => new RecordWriter(records));
  const generator = new Generator(generated);
  /** A record as worker `number` writes it. */
  const record = (number: number, timeMs: number): MadeQuery => {
    const made = generator.make(timeMs);
    const writer = writers[number];
    assert.ok(writer);
    generator.write(writer, made);
    writer.publish();
    return made;
  };
  const times = (): number[] =>
    keeper.store?.page({ start: 0, length: 10_000 }, endless).rows.map(({ timeMs }) => timeMs) ?? [];
  return { keeper, record, times, clock, notices };
}

describe('the rings of several workers', () => {
  test('become one log ordered by time, also when there is much', (t) => {
    const { keeper, record, times } = scene(t);
    const fromMs = wallClockMs();
    // Worker by worker, each with every third query, and a third of those answered late.
    for (let worker = 0; worker < workers; worker++)
      for (let at = worker; at < 3_000; at += workers) record(worker, fromMs + (at % 9 < 3 ? at - 2 : at));
    assert.equal(keeper.catchUp(), 3_000);
    const newestFirst = times();
    assert.equal(newestFirst.length, 3_000);
    assert.deepEqual(
      newestFirst,
      newestFirst.toSorted((a, b) => b - a),
    );
  });

  test('stay ordered from one look to the next until rows were read', (t) => {
    const { keeper, record, times } = scene(t);
    const fromMs = wallClockMs();
    record(0, fromMs + 20);
    keeper.catchUp();
    record(1, fromMs + 10);
    keeper.catchUp();
    assert.deepEqual(times(), [fromMs + 20, fromMs + 10]);
    record(2, fromMs + 15);
    record(0, fromMs + 5);
    keeper.catchUp();
    assert.deepEqual(times(), [fromMs + 15, fromMs + 5, fromMs + 20, fromMs + 10]);
  });
});

const unreadable = 'a sector that cannot be read';
for (const [title, error] of [
  ['a bug', new Error(unreadable)],
  ['the disk', Object.assign(new Error(unreadable), { code: 'ERR_SQLITE_ERROR', errcode: 10 })],
] as const)
  test(`${title} before the first request is reported once and retried after a minute`, (t) => {
    const { keeper, record, times, clock, notices } = scene(t);
    record(0, wallClockMs());
    keeper.catchUp();
    let tried = 0;
    const failing = {
      limitMs: 1_000,
      clockMs: () => {
        tried++;
        throw error;
      },
    };
    for (let minute = 0; minute < 3; minute++) {
      while (keeper.store?.prepare());
      tried = 0;
      assert.equal(keeper.prepare(failing), false);
      assert.ok(tried > 0);
      assert.equal(keeper.prepare(endless), false, 'it waits');
      clock.aheadMs += 60_000;
      keeper.maintain();
    }
    assert.equal(notices.length, 1);
    assert.match(notices.pop() ?? '', /in .* could not be precomputed: .*a sector that .* check the/su);
    assert.equal(keeper.prepare(endless), true);
    assert.equal(times().length, 1);
  });
