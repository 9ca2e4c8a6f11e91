// How much is written to the disk: at most 200 MB a day at five queries a second, as counted by the kernel
// (`write_bytes` of proc(5); a file system in memory counts nothing). Hours are simulated; fdatasync replaces
// the kernel's flusher, which writes a changed page again and again, three times as often as Linux usually
// does.

import assert from 'node:assert/strict';
import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Generator, madeUpstreams, makeRing } from '#testing/history/generator';
import { keepEverything } from './retention.ts';
import { endless, makeTestStore, startMs } from '#testing/history/store';

const hours = 2;
const perSecond = 5;
const flushEverySeconds = 10;
const maxPerDay = 200 * 1024 * 1024;
const made = { seed: 4, rows: 1, hours: 1, names: 5_000, clients: 20, fromMs: startMs };

function writtenBytes(): number {
  return Number(/^write_bytes: (\d+)$/mu.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

function flush(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter((one) => !one.endsWith('-shm'))) {
    const file = openSync(join(dataDir, name), 'r+');
    fdatasyncSync(file);
    closeSync(file);
  }
}

test(`at ${perSecond} queries a second at most 200 MB a day are written to the disk`, (context) => {
  const place = makeTestStore(context);
  const store = place.open();
  const generator = new Generator(made);
  const { writer, reader } = makeRing();
  const before = writtenBytes();
  for (let second = 0; second < hours * 3600; second++) {
    const nowMs = startMs + second * 1000;
    for (let row = 0; row < perSecond; row++) generator.write(writer, generator.make(nowMs + row * 200));
    writer.publish();
    store.readRecords(reader, { upstreams: madeUpstreams });
    store.everySecond(nowMs + 1000);
    if (second % 60 === 59) while (store.everyMinute(nowMs + 1000, keepEverything));
    if (second % flushEverySeconds === 0) flush(place.dataDir);
  }
  const written = writtenBytes() - before;
  assert.equal(
    store.statistics({ fromMs: 0, untilMs: Infinity }, {}, endless).statistics.total,
    hours * 3600 * perSecond,
  );
  store.close();
  const perDay = (written * 24) / hours;
  assert.ok(perDay <= maxPerDay, `${(perDay / 1024 / 1024).toFixed(0)} MB a day`);
});
