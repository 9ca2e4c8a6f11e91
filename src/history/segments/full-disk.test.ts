// A full disk, on a small file system that the test mounts (which needs root): rows stay in memory as long as
// there is room, then they are dropped and counted; one report, and recording continues when there is space.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Generator, madeUpstreams, makeRing } from '#testing/history/generator';
import { fillDisk, mountSmallDisk, needsRoot } from '#testing/platform/small-disk';
import { HistoryStore } from './history-store.ts';
import { keepEverything } from './retention.ts';
import { endless, startMs } from '#testing/history/store';

const made = { seed: 2, rows: 1, hours: 1, names: 5_000, clients: 50, fromMs: startMs };

describe('a full disk', { skip: needsRoot }, () => {
  test('stops recording with one report, and recording continues when there is room', (context) => {
    const { dir, unmount } = mountSmallDisk(4);
    context.after(unmount);
    const messages: string[] = [];
    const report = (message: string) => void messages.push(message);
    const open = () =>
      new HistoryStore({ dataDir: dir, nowMs: startMs, seeds: [1, 2], report, blockRows: 3_000 });
    let store = open();
    const generator = new Generator(made);
    const { writer, reader } = makeRing();
    let timeMs = startMs;
    const ask = (count: number) => {
      for (let i = 0; i < count; i++) generator.write(writer, generator.make((timeMs += 1)));
      writer.publish();
      store.readRecords(reader, { upstreams: madeUpstreams });
      store.everySecond(timeMs);
    };
    const total = () => store.statistics({ fromMs: 0, untilMs: Infinity }, {}, endless).statistics.total;
    ask(4_000);
    assert.equal(total(), 4_000);
    const filler = fillDisk(dir);
    for (let second = 0; second < 10; second++) {
      ask(1_000);
      timeMs += 2_000;
      store.everyMinute(timeMs, keepEverything);
    }
    const { lost, trouble } = store.figures();
    assert.ok(lost > 5_000 && trouble !== undefined, `${lost} ${trouble}`);
    assert.equal(messages.length, 1);
    assert.match(messages[0] ?? '', /cannot be written in .*Queries are answered, but are missing/u);
    // Rows that were kept can be read.
    assert.equal(total(), 14_000 - lost);
    rmSync(filler);
    timeMs += 10_000;
    ask(500);
    ask(500);
    assert.equal(store.figures().trouble, undefined);
    assert.equal(messages.length, 2);
    assert.equal(total(), 15_000 - store.figures().lost);
    fillDisk(dir);
    assert.equal(store.flush(), false, 'nothing can be deleted');
    assert.ok(store.figures().trouble !== undefined);
    rmSync(filler);
    ask(10);
    assert.equal(store.figures().trouble, undefined, 'no trouble after the next write to the journal');
    const ids = store.page({ start: 0, length: 1e6 }, endless).rows.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const before = total();
    store.close();
    store = open();
    assert.equal(total(), before);
    store.close();
  });
});
