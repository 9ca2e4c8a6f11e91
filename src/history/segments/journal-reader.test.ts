// Damaged journals: sound chunks are read, damaged ones are skipped and reported, and no row ever differs
// from the query that was recorded.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { cpuMs } from '../../../test/running/cpu-time.ts';
import type { HistoryStore } from './history-store.ts';
import { journalFile } from './journal.ts';
import { readChunks } from './journal-reader.ts';
import { flipped } from '#testing/flipped';
import type { NaiveRow } from '#testing/history/naive-history';
import { makeQuerySender, readAll } from '#testing/history/query-sender';
import { makeTestStore, startMs, type TestStore } from '#testing/history/store';

const seconds = 12;
const rowsPerSecond = 10;
/** Mark, size, checksum. */
const headBytes = 12;

interface Scene {
  readonly place: TestStore;
  readonly rows: readonly NaiveRow[];
  readonly path: string;
  readonly whole: Buffer;
  /** Where each chunk begins, and where the last one ends. */
  readonly starts: readonly number[];
}

/** A journal with one chunk per second, and no segment. */
function makeScene(context: { after(work: () => void): void }): Scene {
  const place = makeTestStore(context);
  const rows: NaiveRow[] = [];
  const ask = makeQuerySender(rows);
  const store = place.open();
  const path = journalFile(place.dataDir, 0);
  const starts = [0, readFileSync(path).length];
  for (let second = 0; second < seconds; second++) {
    ask(store, rowsPerSecond, startMs + second * 1000);
    store.everySecond(startMs + (second + 1) * 1000);
    starts.push(readFileSync(path).length);
  }
  store.close();
  return { place, rows, path, whole: readFileSync(path), starts };
}

/** Opens the folder with this journal; its reports are in `messages`. */
function opened({ place, path }: Scene, bytes: Uint8Array): HistoryStore {
  writeFileSync(path, bytes);
  place.messages.length = 0;
  // A fresh database for each run, because an earlier run may have stored the rows before a gap.
  for (const suffix of ['', '-wal', '-shm']) writeFileSync(place.dataDir + `/history.db${suffix}`, '');
  const store = place.open();
  assert.match(place.messages.shift() ?? '', /history\.db was missing or empty\. A new one was created/);
  return store;
}

/** Checks that each row is a recorded query under its own id; returns how many there are. */
function soundRows(store: HistoryStore, rows: readonly NaiveRow[]): number {
  const found = readAll(store);
  for (const row of found) assert.deepEqual(row, rows[row.id - 1]);
  return found.length;
}

describe('a journal with a wrong byte', () => {
  for (const [title, offset] of [
    ['in the mark', 2],
    ['in the size', 4],
    ['that makes the size endless', 7],
    ['in the checksum', 9],
    ['in the first row', headBytes + 200],
  ] as const)
    test(`${title} loses one chunk, and says so`, (context) => {
      const scene = makeScene(context);
      const { starts, whole, rows, place, path } = scene;
      // By then most names, but not all, have been used.
      const chunk = 9;
      const from = starts[chunk] ?? 0;
      const size = (starts[chunk + 1] ?? 0) - from;
      const store = opened(scene, flipped(whole, from + offset, 0x80));
      const kept = soundRows(store, rows);
      const missing = rows.length - kept;
      assert.ok(missing >= rowsPerSecond && missing < 3 * rowsPerSecond, `${missing} are missing`);
      const ids = new Set(readAll(store).map(({ id }) => id));
      for (let id = 1; id <= (chunk - 1) * rowsPerSecond; id++) assert.ok(ids.has(id));
      assert.deepEqual(place.messages, [
        `The journal of the history is damaged: ${size} bytes of ${path} could not be read, so ${missing} ` +
          'queries are missing in the history. Everything else was kept, and no action is needed. If this ' +
          'happens again, check the disk and its cable.',
      ]);
      store.close();
    });

  test('is continued with new ids and names, and is intact after the next start', (context) => {
    const scene = makeScene(context);
    const { place, starts, whole } = scene;
    const store = opened(scene, flipped(whole, (starts[3] ?? 0) + headBytes + 5));
    const before = readAll(store);
    const lastId = store.figures().lastId;
    assert.equal(lastId, scene.rows.length);
    const asked: NaiveRow[] = [];
    makeQuerySender(asked)(store, 300, startMs + 60_000);
    const expected = [...before, ...asked.map((row) => ({ ...row, id: lastId + row.id }))];
    assert.deepEqual(readAll(store), expected);
    store.close();
    place.messages.length = 0;
    const again = place.open();
    assert.deepEqual(readAll(again), expected);
    assert.deepEqual(place.messages, []);
    assert.ok(again.figures().segments > 0, 'rows before the gap are stored');
    again.close();
  });

  test('with bytes changed, inserted and removed at random never returns a wrong row', (context) => {
    const scene = makeScene(context);
    const random = makeRandom(7);
    for (let round = 0; round < 24; round++) {
      let bytes: Uint8Array = scene.whole;
      for (let times = 1 + random(4); times > 0; times--) {
        const at = random(bytes.length);
        if (round % 3 === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random(40))]);
        else if (round % 3 === 2)
          bytes = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(random(40), 0x73), bytes.subarray(at)]);
        else bytes = flipped(bytes, at, 1 + random(255));
      }
      const store = opened(scene, bytes);
      soundRows(store, scene.rows);
      store.close();
    }
  });
});

describe('damage in one of two journals', () => {
  /** Fifty rows in the older journal, which are also in a segment, and ten in the newer one. */
  const makeTurned = (context: { after(work: () => void): void }) => {
    const place = makeTestStore(context);
    const rows: NaiveRow[] = [];
    const ask = makeQuerySender(rows);
    const store = place.open();
    for (let second = 0; second < 5; second++) {
      ask(store, rowsPerSecond, startMs + second * 1000);
      store.everySecond(startMs + second * 1000 + 900);
    }
    store.everySecond(startMs + 3_600_000);
    ask(store, rowsPerSecond, startMs + 3_600_000);
    store.everySecond(startMs + 3_601_000);
    store.close();
    return { place, rows };
  };
  const spoilMiddle = (path: string): void => {
    const bytes = readFileSync(path);
    writeFileSync(path, flipped(bytes, Math.floor(bytes.length / 2), 0x41));
  };
  const zeroAll = (path: string): void => writeFileSync(path, Buffer.alloc(readFileSync(path).length));
  const loseDatabase = (dataDir: string): void => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${dataDir}/history.db${suffix}`, { force: true });
  };
  const mayBe = /could not be read, so some queries may be missing in the history/u;
  for (const [title, turn, damage, isDatabaseLost, kept, message] of [
    ['in the older one, when all of it is stored, loses nothing', 0, spoilMiddle, false, 60, undefined],
    [
      'in the older one, when nothing is stored, loses its rows',
      0,
      spoilMiddle,
      true,
      50,
      /so 10 queries are missing/u,
    ],
    ['in all of the older one is reported as a possible loss', 0, zeroAll, false, 60, mayBe],
    ['in the newer one is reported as a possible loss', 1, spoilMiddle, false, 50, mayBe],
    ['in all of the newer one is reported as a possible loss', 1, zeroAll, false, 50, mayBe],
  ] as const)
    test(title, (context) => {
      const { place, rows } = makeTurned(context);
      damage(journalFile(place.dataDir, turn));
      if (isDatabaseLost) loseDatabase(place.dataDir);
      const store = place.open({ nowMs: startMs + 3_602_000 });
      const found = soundRows(store, rows);
      if (isDatabaseLost) assert.ok(found <= kept && found > 0, String(found));
      else assert.equal(found, kept);
      if (message === undefined) assert.deepEqual(place.messages, []);
      else assert.match(place.messages.join(), message);
      store.close();
    });
});

/** Random integers below a bound, from a seed. */
function makeRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('the reader of chunks', () => {
  test('finds all other chunks when any byte of one is wrong', (context) => {
    const { whole, starts } = makeScene(context);
    const chunks = starts.length - 1;
    assert.equal(readChunks(whole).chunks.length, chunks);
    assert.equal(readChunks(whole).lostBytes, 0);
    for (let at = 0; at < whole.length; at++) {
      const read = readChunks(flipped(whole, at, 0x41));
      assert.equal(read.chunks.length, chunks - 1, `byte ${at}`);
      // Damage in the last chunk may look as if the file were cut off.
      const isLast = at >= (starts.at(-2) ?? 0);
      assert.ok(isLast || read.lostBytes > 0, `byte ${at}`);
    }
  });

  test('takes bounded time for false chunk marks', () => {
    const bytes = Buffer.alloc(4 * 1024 * 1024);
    for (let at = 0; at + headBytes <= bytes.length; at += headBytes) {
      bytes.write('slj1', at, 'latin1');
      bytes.writeUInt32LE(Math.max(bytes.length - at - 2 * headBytes, 1), at + 4);
    }
    const tookMs = cpuMs(() => {
      const { chunks, lostBytes } = readChunks(bytes);
      assert.deepEqual([chunks.length, lostBytes], [0, bytes.length]);
    });
    // Without the bound this would take minutes.
    assert.ok(tookMs < 30_000, `${tookMs} ms of CPU`);
  });

  test('treats a cut-off end as the result of a kill', (context) => {
    const { whole, starts } = makeScene(context);
    const last = starts.at(-2) ?? 0;
    for (let size = last; size < whole.length; size++)
      assert.equal(readChunks(whole.subarray(0, size)).lostBytes, 0);
    // A file of zeros is damage, not a cut-off end.
    const zeros = Buffer.from(whole);
    zeros.fill(0, last + 1);
    assert.equal(readChunks(zeros).lostBytes, whole.length - last);
  });
});
