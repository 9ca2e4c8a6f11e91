// A block that is closed while a question is answered, between two of its steps, with all that follows from
// it. The answer must be right, and the missing rows must not be taken for damage.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHistoryFile } from './database.ts';
import { Dictionary } from './dictionary.ts';
import { always } from './filter.ts';
import { Generator, madeUpstreams, makeRing } from '#testing/history/generator';
import { keepEverything } from './retention.ts';
import { Answerer } from '../thread/answers.ts';
import { endless, makeTestStore, startMs } from '#testing/history/store';

const hourMs = 3_600_000;
const midnightMs = startMs + 4 * hourMs;

test('sums of a day are right when its last block closes while they are read', (context) => {
  const place = makeTestStore(context);
  const store = place.open();
  context.after(() => store.close());
  const generator = new Generator({ seed: 5, rows: 99, hours: 1, names: 20, clients: 5, fromMs: startMs });
  const { writer, reader } = makeRing();
  const ask = (timeMs: number): void => {
    generator.write(writer, generator.make(timeMs));
    writer.publish();
    store.readRecords(reader, { upstreams: madeUpstreams });
    store.everySecond(timeMs);
  };
  ask(startMs + 2.5 * hourMs);
  store.everySecond(startMs + 3 * hourMs);
  ask(startMs + 3.5 * hourMs);
  while (store.everyMinute(midnightMs, keepEverything));
  const between = (): void => store.everySecond(midnightMs + 1000);
  const { total, truncated, types } = new Answerer(store).answer('totals', always, midnightMs, {
    ...endless,
    between,
  });
  assert.deepEqual([total, truncated, types.size > 0], [2, false, true]);
  assert.deepEqual(place.messages, []);
});

test('names that are stored during a search are found', (context) => {
  const { dataDir } = makeTestStore(context);
  const { database } = openHistoryFile(dataDir, startMs);
  context.after(() => database.close());
  const names = new Dictionary(database, 'name');
  const count = 45_000;
  for (let i = 0; i < count; i++) names.restore(i + 1, `h${i}.example`);
  let asked = 0;
  const found = names.idsLike('*.example', () => {
    if (++asked === 2) {
      database.transaction(() => names.store());
      names.stored();
    }
    return true;
  });
  assert.equal(found.length, count);
  assert.equal(new Set(found).size, count);
});
