// What survives a kill in the middle of a write, damage to a file that is closed or in use, and a clean stop.
// The journal is cut at every byte of its last chunk.

import assert from 'node:assert/strict';
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { Answerer } from '../thread/answers.ts';
import { historyFile } from './database.ts';
import { always } from './filter.ts';
import { journalFile } from './journal.ts';
import type { NaiveRow } from '#testing/history/naive-history';
import { keepEverything } from './retention.ts';
import { makeQuerySender, readAll } from '#testing/history/query-sender';
import { endless, makeTestStore, startMs } from '#testing/history/store';

describe('a kill', () => {
  test('at any byte of the last chunk loses that chunk and no other', (context) => {
    const place = makeTestStore(context);
    const rows: NaiveRow[] = [];
    const ask = makeQuerySender(rows);
    const store = place.open({ blockRows: 60 });
    // The first sixty rows become a segment during the loop.
    ask(store, 80, startMs);
    store.everySecond(startMs + 1000);
    ask(store, 10, startMs + 1000);
    store.everySecond(startMs + 2000);
    const before = statSync(journalFile(place.dataDir, 1)).size;
    ask(store, 2, startMs + 2000);
    store.everySecond(startMs + 3000);
    const whole = readFileSync(journalFile(place.dataDir, 1));
    assert.ok(whole.length > before + 50);
    store.close();
    for (let size = whole.length; size >= before; size--) {
      writeFileSync(journalFile(place.dataDir, 1), whole);
      truncateSync(journalFile(place.dataDir, 1), size);
      writeFileSync(journalFile(place.dataDir, 0), '');
      const again = place.open();
      assert.deepEqual(readAll(again), rows.slice(0, size === whole.length ? 92 : 90));
      again.close();
    }
    assert.deepEqual(place.messages, []);
  });

  test('after the transaction and before the journal turns over stores nothing twice', (context) => {
    const place = makeTestStore(context);
    const rows: NaiveRow[] = [];
    const ask = makeQuerySender(rows);
    const store = place.open();
    ask(store, 50, startMs);
    store.everySecond(startMs + 1000);
    const journal = readFileSync(journalFile(place.dataDir, 0));
    store.everySecond(startMs + 3_600_000);
    store.close();
    writeFileSync(journalFile(place.dataDir, 0), journal);
    writeFileSync(journalFile(place.dataDir, 1), '');
    const again = place.open({ nowMs: startMs + 3_700_000 });
    assert.deepEqual(readAll(again), rows);
    ask(again, 5, startMs + 3_700_000);
    assert.deepEqual(readAll(again), rows);
    again.close();
  });
});

describe('a clean stop', () => {
  test('loses nothing, however often', (context) => {
    const place = makeTestStore(context);
    const rows: NaiveRow[] = [];
    const ask = makeQuerySender(rows);
    for (let turn = 0; turn < 6; turn++) {
      const store = place.open({ blockRows: 100 });
      assert.deepEqual(readAll(store), rows);
      ask(store, 41, startMs + turn * 900);
      store.close();
    }
    const store = place.open();
    assert.deepEqual(readAll(store), rows);
    store.close();
  });
});

/** Overwrites pages in the middle of the file with noise. */
function spoil(path: string): void {
  const file = openSync(path, 'r+');
  const noise = Buffer.alloc(4096, 0xa5);
  for (let at = 4096; at < statSync(path).size; at += 4096) writeSync(file, noise, 0, noise.length, at);
  closeSync(file);
}

describe('a damaged file', () => {
  for (const [title, damage] of [
    [
      'that is no database',
      (path: string) => writeFileSync(path, 'not a database, but long enough'.repeat(300)),
    ],
    ['with noise in it', spoil],
  ] as const)
    test(`${title} is put aside at start or at the first read, and history continues`, (context) => {
      const place = makeTestStore(context);
      const rows: NaiveRow[] = [];
      const ask = makeQuerySender(rows);
      const store = place.open({ blockRows: 50 });
      ask(store, 260, startMs);
      store.everySecond(startMs + 1000);
      store.close();
      damage(historyFile(place.dataDir));
      const again = place.open({ blockRows: 50, nowMs: startMs + 2000 });
      readAll(again);
      assert.equal(
        again.begunMs,
        startMs + 2000,
        'a caller that pages through everything sees that the file is a new one',
      );
      assert.equal(place.messages.length, 1);
      assert.match(place.messages[0] ?? '', /is broken: .*put aside as .*history\.db\.broken-/u);
      assert.equal(readdirSync(place.dataDir).filter((name) => /broken-[^.]*$/u.test(name)).length, 1);
      // The newest rows were still in the journal.
      assert.deepEqual(readAll(again).at(-1), rows.at(-1));
      const kept = readAll(again).length;
      ask(again, 120, startMs + 5000);
      again.everySecond(startMs + 6000);
      assert.equal(readAll(again).length, kept + 120);
      assert.deepEqual(readAll(again).slice(-120), rows.slice(-120));
      again.close();
    });

  for (const [what, lose] of [
    ['emptied', (path: string) => writeFileSync(path, '')],
    ['deleted', (path: string) => rmSync(path)],
  ] as const)
    test(`that was ${what} is recreated with the rows of the journal and one report`, (context) => {
      const place = makeTestStore(context);
      const rows: NaiveRow[] = [];
      const store = place.open();
      makeQuerySender(rows)(store, 30, startMs);
      store.close();
      lose(historyFile(place.dataDir));
      const again = place.open();
      assert.deepEqual(readAll(again), rows);
      assert.match(place.messages.join(), /^The history .*history\.db was missing or empty.*restore it\.$/u);
      again.close();
      place.open().close();
      assert.equal(place.messages.length, 1);
    });

  test('that breaks in use keeps rows outside segments, and ids continue', (context) => {
    const place = makeTestStore(context);
    const rows: NaiveRow[] = [];
    const ask = makeQuerySender(rows);
    const first = place.open({ blockRows: 2000 });
    ask(first, 9400, startMs);
    first.close();
    // Opened with a small cache, so that pages are read only when they are needed.
    const store = place.open({ windowBytes: 0, blockRows: 2000 });
    ask(store, 30, startMs + 9500);
    spoil(historyFile(place.dataDir));
    const found = readAll(store);
    assert.equal(place.messages.length, 1);
    assert.deepEqual(found, rows.slice(-found.length));
    assert.ok(found.length >= 1430 && found.length < rows.length);
    ask(store, 10, startMs + 9900);
    assert.deepEqual(readAll(store).slice(-10), rows.slice(-10));
    store.close();
  });

  test('that is found before the first request is replaced by a new one', (context) => {
    const place = makeTestStore(context);
    const store = place.open({ blockRows: 50 });
    makeQuerySender([])(store, 120, startMs);
    store.close();
    const file = new DatabaseSync(historyFile(place.dataDir));
    file.exec("update segment set head = x'ff'");
    file.close();
    const again = place.open();
    assert.equal(again.prepare(), true);
    assert.match(place.messages.join(), /is broken: .*put aside as/u);
    assert.equal(again.prepare(), false, 'nothing is left to precompute');
    again.close();
  });

  test('in its sums only is found when the sums are read', (context) => {
    const place = makeTestStore(context);
    const ask = makeQuerySender([]);
    const store = place.open({ blockRows: 50 });
    ask(store, 120, startMs);
    store.close();
    const file = new DatabaseSync(historyFile(place.dataDir));
    file.exec("update segment set head = x'ff'");
    file.close();
    const again = place.open();
    const totals = new Answerer(again).answer('totals', always, startMs, endless);
    // The rows that were in no segment.
    assert.equal(totals.total, 20);
    assert.match(place.messages.join(), /is broken: .*put aside as/u);
    again.close();
  });
});

describe('rows that come late', () => {
  test('keep their time, and every range finds them', (context) => {
    const place = makeTestStore(context);
    const rows: NaiveRow[] = [];
    const ask = makeQuerySender(rows);
    const store = place.open();
    const hourMs = 3_600_000;
    const late = [-300, -3_600_000, -90_000_000, 5_000_000_000, -startMs + 1000];
    for (let hour = 0; hour < 30; hour++) {
      store.everySecond(startMs + hour * hourMs);
      ask(store, 20, startMs + hour * hourMs + 1000);
      // Rows that are written have their ids: no row is inserted before them.
      store.everySecond(startMs + hour * hourMs + 1500);
      ask(store, 5, startMs + hour * hourMs + 2000, (query) => {
        query.timeMs += late[hour % late.length] ?? 0;
      });
    }
    // The clock is set back by two hours, and forward again.
    store.everySecond(startMs + 28 * hourMs);
    ask(store, 7, startMs + 28 * hourMs);
    store.everySecond(startMs + 31 * hourMs);
    while (store.everyMinute(startMs + 200 * hourMs, keepEverything));
    for (const [from, until] of [
      [0, Infinity],
      [startMs, startMs + hourMs],
      [startMs + 4 * hourMs, startMs + 28 * hourMs],
      [startMs - 25 * hourMs, startMs],
      [startMs + 40 * hourMs, Infinity],
    ] as const) {
      const expected = rows.filter(({ timeMs }) => timeMs >= from && timeMs < until);
      const { statistics } = store.statistics({ fromMs: from, untilMs: until }, {}, endless);
      assert.equal(statistics.total, expected.length);
      assert.equal(
        statistics.slots().reduce((sum, { total }) => sum + total, 0),
        expected.length,
      );
      const page = store.page({ start: 0, length: 1e5, fromMs: from, untilMs: until }, endless);
      assert.deepEqual(
        page.rows.map(({ id }) => id).toReversed(),
        expected.map(({ id }) => id),
      );
    }
    store.close();
  });
});
