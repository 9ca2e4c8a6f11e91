// Limits: 10,000 new clients in a minute, a client with 50,000 names, what retention deletes, and pages that
// run out of time. No statement may scan a table that grows with the number of queries.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { nameFromText } from '#wire';
import { historyFile } from './database.ts';
import {
  fill,
  Generator,
  madeAddress,
  madeUpstreams,
  makeRing,
  writeQuery,
} from '#testing/history/generator';
import type { HistoryStore } from './history-store.ts';
import { keepEverything } from './retention.ts';
import { naiveRow, type NaiveRow } from '#testing/history/naive-history';
import { isBlocked } from './statuses.ts';
import { endless, makeTestStore, startMs } from '#testing/history/store';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const always = { fromMs: 0, untilMs: Infinity };

describe('limits of memory', () => {
  test('10,000 new clients in a minute are all recorded in bounded memory', (context) => {
    const place = makeTestStore(context);
    const store = place.open({ blockRows: 4_000 });
    const generator = new Generator({ seed: 1, rows: 1, hours: 1, names: 50, clients: 1, fromMs: startMs });
    const { writer, reader } = makeRing();
    for (let client = 0; client < 10_000; client++) {
      const query = generator.make(startMs + client * 6);
      query.client = client;
      generator.write(writer, query);
      if (client % 500 !== 499) continue;
      writer.publish();
      store.readRecords(reader, { upstreams: madeUpstreams });
      store.everySecond(startMs + client * 6);
    }
    const { statistics } = store.statistics(always, {}, endless);
    assert.equal(statistics.summary().activeClients, 10_000);
    assert.equal(statistics.topClients('all', 20_000).length, 10_000);
    const page = store.page({ clientIp: madeAddress(7_777), start: 0, length: 10 }, endless);
    assert.deepEqual([page.rows.length, page.recordsFiltered], [1, 1]);
    // Room for the open block, but not for a list of all clients.
    assert.ok(store.figures().windowBytes < 4_000_000);
    store.close();
  });

  test('one client with 50,000 names is recorded in bounded memory', (context) => {
    const place = makeTestStore(context);
    const store = place.open({ blockRows: 30_000, windowBytes: 1_000_000 });
    const generator = new Generator({ seed: 1, rows: 1, hours: 1, names: 2, clients: 1, fromMs: startMs });
    const { writer, reader } = makeRing();
    for (let name = 0; name < 50_000; name++) {
      const query = generator.make(startMs + name);
      writeQuery(writer, query, nameFromText(`x${name}.tunnel.example`) ?? Uint8Array.of(0));
      if (name % 5_000 !== 4_999) continue;
      writer.publish();
      store.readRecords(reader, { upstreams: madeUpstreams });
    }
    const { statistics } = store.statistics(always, { clientIp: madeAddress(0) }, endless);
    assert.equal(statistics.summary().uniqueDomains, 50_000);
    const page = store.page({ domain: 'x4242*.tunnel.example', start: 0, length: 100 }, endless);
    assert.deepEqual([page.rows.length, page.recordsFiltered], [11, 11]);
    assert.ok(store.figures().windowBytes < 4_000_000);
    store.close();
  });
});

const made = { seed: 9, rows: 6_000, hours: 96, names: 300, clients: 9, fromMs: startMs };
const endMs = startMs + made.hours * hourMs;

function filled(context: Parameters<typeof makeTestStore>[0]) {
  const place = makeTestStore(context);
  const store = place.open();
  const rows: NaiveRow[] = [];
  fill(store, made, (query) => rows.push(naiveRow(query, rows.length + 1)));
  store.everySecond(endMs);
  return { place, store, rows };
}

describe('retention', () => {
  test('by days deletes in steps of a few segments', (context) => {
    const { store, rows } = filled(context);
    const before = store.figures().segments;
    store.everyMinute(endMs, { ...keepEverything, days: 2 });
    assert.ok(store.figures().segments >= before - 4);
    while (store.everyMinute(endMs, { ...keepEverything, days: 2 }));
    const kept = rows.filter(({ timeMs }) => timeMs >= endMs - 2 * dayMs);
    const page = store.page({ start: 0, length: 1e5 }, endless);
    assert.deepEqual(
      page.rows.map(({ id }) => id).toReversed(),
      kept.map(({ id }) => id),
    );
    assert.equal(store.statistics(always, {}, endless).statistics.summary().total, kept.length);
    store.close();
  });

  test('by days deletes nothing while the clock is months ahead for some minutes', (context) => {
    const { store, rows } = filled(context);
    const limits = { ...keepEverything, days: 91 };
    const wrongMs = endMs + 200 * dayMs;
    for (const nowMs of [endMs, wrongMs, wrongMs + 60_000, wrongMs + 59 * 60_000, endMs + 61 * 60_000])
      while (store.everyMinute(nowMs, limits));
    assert.equal(store.figures().rows, rows.length);
    // The jump is believed once the clock has run on for an hour.
    for (const nowMs of [wrongMs, wrongMs + hourMs]) while (store.everyMinute(nowMs, limits));
    assert.equal(store.figures().rows, 0);
    store.close();
  });

  test('by class deletes allowed queries earlier, and blocked ones keep their ids', (context) => {
    const { place, store, rows } = filled(context);
    const limits = { ...keepEverything, days: 3, allowedDays: 1 };
    while (store.everyMinute(endMs, limits));
    const kept = rows.filter(({ timeMs, status }) => timeMs >= endMs - (isBlocked(status) ? 3 : 1) * dayMs);
    const ids = (read = store) =>
      read
        .page({ start: 0, length: 1e5 }, endless)
        .rows.map(({ id }) => id)
        .toReversed();
    assert.deepEqual(
      ids(),
      kept.map(({ id }) => id),
    );
    const blocked = kept.filter(({ status }) => isBlocked(status)).length;
    assert.equal(store.statistics(always, {}, endless).statistics.blocked, blocked);
    store.close();
    const again = place.open({ nowMs: endMs });
    assert.deepEqual(
      ids(again),
      kept.map(({ id }) => id),
    );
    again.close();
  });

  test('by size deletes the oldest until the file fits', (context) => {
    const { store, rows } = filled(context);
    const before = store.figures();
    const sizeBytes = Math.floor(before.sizeBytes / 2);
    while (store.everyMinute(endMs, { ...keepEverything, sizeBytes }));
    const { sizeBytes: after, rows: kept } = store.figures();
    assert.ok(after <= sizeBytes && after > sizeBytes / 2, `${after} of ${sizeBytes}`);
    const page = store.page({ start: 0, length: 1 }, endless);
    assert.equal(page.rows[0]?.id, rows.length);
    assert.ok(kept > 0 && kept < rows.length);
    store.close();
  });

  test('a flush is effective at once, frees space in steps, and reuses no id', (context) => {
    const { place, store, rows } = filled(context);
    store.flush();
    assert.equal(store.page({ start: 0, length: 9 }, endless).recordsTotal, 0);
    assert.equal(store.statistics(always, {}, endless).statistics.total, 0);
    store.close();
    const again = place.open({ nowMs: endMs });
    assert.equal(again.figures().rows, 0);
    while (again.everyMinute(endMs, keepEverything));
    const { writer, reader } = makeRing();
    const generator = new Generator(made);
    generator.write(writer, generator.make(endMs));
    writer.publish();
    again.readRecords(reader, { upstreams: madeUpstreams });
    assert.equal(again.page({ start: 0, length: 9 }, endless).rows[0]?.id, rows.length + 1);
    again.close();
    const database = new DatabaseSync(historyFile(place.dataDir));
    assert.equal(database.prepare('select count(*) as left from segment').get()?.['left'], 0);
    database.close();
  });
});

describe('names', () => {
  test('that no row uses are deleted; a name that returns gets a new number', (context) => {
    const { place, store, rows } = filled(context);
    const limits = { ...keepEverything, days: 1 };
    while (store.everyMinute(endMs, limits));
    const kept = rows.filter(({ timeMs }) => timeMs >= endMs - dayMs);
    const gone = rows.find(({ domain }) => kept.every((row) => row.domain !== domain));
    const { writer, reader } = makeRing();
    const query = new Generator(made).make(endMs);
    writeQuery(writer, query, nameFromText(gone?.domain ?? '') ?? Uint8Array.of(0));
    writer.publish();
    store.readRecords(reader, { upstreams: madeUpstreams });
    const page = store.page({ start: 0, length: 9, domain: gone?.domain ?? '' }, endless);
    assert.deepEqual(
      page.rows.map(({ domain }) => domain),
      [gone?.domain],
    );
    assert.equal(store.page({ start: 0, length: 1e5, domain: '*' }, endless).rows.length, kept.length + 1);
    store.close();
    const database = new DatabaseSync(historyFile(place.dataDir));
    const left = database.prepare('select text from name order by text').all();
    database.close();
    const used = new Set(kept.map(({ domain }) => domain));
    assert.deepEqual(
      left.map(({ text }) => text),
      [...used].toSorted(),
    );
  });
});

describe('clients', () => {
  const askFrom = (store: HistoryStore, clients: readonly number[], timeMs: number): void => {
    store.everySecond(timeMs);
    store.everyMinute(timeMs, keepEverything);
    const { writer, reader } = makeRing();
    const generator = new Generator(made);
    for (const client of clients) {
      const query = generator.make(timeMs);
      query.client = client;
      generator.write(writer, query);
    }
    writer.publish();
    store.readRecords(reader, { upstreams: madeUpstreams });
  };
  const textsOn = (dataDir: string, table: 'client' | 'name'): unknown[] => {
    const database = new DatabaseSync(historyFile(dataDir));
    const rows = database.prepare(`select text from ${table} order by text`).all();
    database.close();
    return rows.map(({ text }) => text);
  };

  test('without rows are deleted with their names; one that returns is recorded again', (context) => {
    const place = makeTestStore(context);
    const store = place.open();
    askFrom(store, [1, 2, 3], startMs);
    store.nameClient(madeAddress(1), 'tablet.lan');
    askFrom(store, [3, 4], startMs + 2 * dayMs);
    askFrom(store, [4], startMs + 2 * dayMs + hourMs);
    while (store.everyMinute(startMs + 3 * dayMs, { ...keepEverything, days: 1.5 }));
    askFrom(store, [1], startMs + 2 * dayMs + hourMs);
    const { rows } = store.page({ start: 0, length: 9 }, endless);
    assert.deepEqual(
      rows.map(({ clientIp, clientName }) => `${clientIp} ${clientName}`),
      [1, 4, 4, 3].map((client) => `${madeAddress(client)} `),
    );
    store.everySecond(startMs + 3 * dayMs);
    store.close();
    assert.deepEqual(textsOn(place.dataDir, 'client'), [1, 3, 4].map(madeAddress));
  });

  test('and names are deleted soon after each flush', (context) => {
    const place = makeTestStore(context);
    const store = place.open();
    for (const hour of [0, 2]) {
      askFrom(store, [1, 2], startMs + hour * hourMs);
      assert.ok(store.flush());
      while (store.everyMinute(startMs + hour * hourMs, keepEverything));
    }
    store.close();
    assert.deepEqual([textsOn(place.dataDir, 'client'), textsOn(place.dataDir, 'name')], [[], []]);
  });
});

describe('a page that ran out of time', () => {
  test('says so, and the next one continues there until all rows were read', (context) => {
    const { store, rows } = filled(context);
    const ids: number[] = [];
    let after: number | undefined;
    let cut = 0;
    for (let left = 10_000; left > 0; left--) {
      let clock = 0;
      // Enough time for two checks between segments.
      const budget = { limitMs: 2, clockMs: () => clock++ };
      const request = { start: 0, length: 1e6, isUncounted: true, ...(after !== undefined && { after }) };
      const page = store.page(request, budget);
      ids.push(...page.rows.map(({ id }) => id));
      if (page.isCut) cut++;
      if (page.next === undefined) break;
      assert.ok(after === undefined || page.next < after, 'each page ends further back');
      after = page.next;
    }
    assert.ok(cut > 10);
    assert.deepEqual(ids, rows.map(({ id }) => id).toReversed());
    const late = store.page({ start: 0, length: 9, domain: '*e*' }, { limitMs: -1, clockMs: () => 0 });
    assert.deepEqual([late.isCut, late.next, late.truncated], [true, undefined, true]);
    store.close();
  });
});

describe('names that answers lead to', () => {
  test('are returned, and kept as long as their rows', (context) => {
    const { store } = filled(context);
    const { writer, reader } = makeRing();
    const query = { ...new Generator(made).make(endMs), origin: 7, reason: 1, ede: 15, ruleId: 12 };
    const [asked, target] = ['shop.example', 'tracker.example'].map((name) => nameFromText(name));
    for (const more of [{}, { privacy: 1 }, { privacy: 2 }, { privacy: 3 }])
      writeQuery(writer, { ...query, ...more }, asked ?? Uint8Array.of(0), target);
    writer.publish();
    store.readRecords(reader, { upstreams: madeUpstreams });
    // One segment for these rows; then the old rows are deleted, and with them the names that no row uses.
    store.everySecond(endMs + 3_600_000);
    while (store.everyMinute(endMs + 3_600_000, { ...keepEverything, days: 1 / 12 }));
    const { rows } = store.page({ start: 0, length: 3 }, endless);
    const { clientIp } = rows.at(-1) ?? { clientIp: '' };
    assert.deepEqual(
      rows.map((row) => [row.domain, row.cname, row.ruleId, row.ede, row.clientIp]),
      [
        ['hidden', '', 0, 15, '0.0.0.0'],
        ['hidden', '', 0, 15, clientIp],
        ['shop.example', 'tracker.example', 12, 15, clientIp],
      ],
    );
    assert.notEqual(clientIp, '0.0.0.0');
    store.close();
  });
});

describe('plans', () => {
  test('no statement scans a whole table, except the one that reads days once', (context) => {
    const { place, store } = filled(context);
    while (store.everyMinute(endMs, { ...keepEverything, days: 3, allowedDays: 1 }));
    store.page({ start: 0, length: 10, domain: '*a*', clientName: 'x*' }, endless);
    store.page({ start: 0, length: 10, domain: 'absent.example' }, endless);
    store.statistics(always, {}, endless).statistics.summary();
    store
      .statistics({ fromMs: startMs + 1, untilMs: endMs }, { types: [1] }, endless)
      .statistics.topNames('blocked', 3);
    store.nameClient(madeAddress(1), 'one');
    store.flush();
    const { statements } = store;
    store.close();
    assert.ok(existsSync(historyFile(place.dataDir)));
    const database = new DatabaseSync(historyFile(place.dataDir));
    const walking = statements.filter((sql) => !sql.startsWith('pragma') && isWalk(database, sql));
    database.close();
    assert.ok(statements.length > 20);
    assert.deepEqual(walking, ['select day from day']);
  });
});

/** The table of days may be scanned: it grows by one row a day. */
function isWalk(database: DatabaseSync, sql: string): boolean {
  const plan = database.prepare(`explain query plan ${sql}`).all();
  return plan.some(({ detail }) => /^SCAN (?!.*USING (COVERING )?INDEX client_label)/u.test(String(detail)));
}
