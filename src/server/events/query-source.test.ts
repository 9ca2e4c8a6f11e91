import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { limits } from '#contract';
import { makeRecordRing, RecordReader, RecordWord } from '#engine';
import { nameFromText } from '#wire';
import type { Fitting } from './fitting.ts';
import { statusText, type QueryRow } from './query-row.ts';
import { TracedQueries, type Watcher } from './query-source.ts';

interface Asked {
  readonly name: string;
  readonly timeMs: number;
  readonly how?: number;
}

const replyIp = 4;
const headerBytes = 72;
const everyMs = 1_000;

/** Rings of two workers, large enough that none goes round; taken as the reader of traces does. */
class Rings {
  readonly #memories = [makeRecordRing(1 << 20), makeRecordRing(1 << 20)];
  readonly #readers = this.#memories.map((memory) => new RecordReader(memory));
  #watcher: Watcher | undefined;

  get isWatched(): boolean {
    return this.#watcher !== undefined;
  }

  watch(watcher: Watcher | undefined): void {
    this.#watcher = watcher;
  }

  catchUp(): void {
    for (const reader of this.#readers)
      reader.take(Infinity, (at) => this.#watcher?.(reader, at, RecordWord));
  }

  answer(worker: number, { name, timeMs, how = 1 }: Asked): void {
    const [memory, reader] = [this.#memories[worker], this.#readers[worker]];
    const bytes = nameFromText(name);
    assert.ok(memory !== undefined && reader !== undefined && bytes !== undefined);
    // The first word of a ring says how many steps of eight bytes were written.
    const control = new Int32Array(memory, 0, 1);
    const head = Atomics.load(control, 0);
    const steps = (headerBytes + bytes.length + 7) >> 3;
    const word = head * 2;
    reader.doubles[head] = timeMs;
    reader.words[word + RecordWord.sizeBytes] = steps * 8;
    reader.words[word + RecordWord.durationUs] = 1500;
    reader.words.set([0, 0, 0xffff, 0x0a000005], word + RecordWord.client);
    reader.words[word + RecordWord.listId] = 4;
    reader.words[word + RecordWord.typeAndRcode] = 28;
    reader.words[word + RecordWord.how] = how;
    reader.words[word + RecordWord.sizes] = bytes.length | (replyIp << 16);
    reader.bytes.set(bytes, head * 8 + headerBytes);
    Atomics.store(control, 0, head + steps);
  }
}

function watched(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const rings = new Rings();
  const source = new TracedQueries(rings, everyMs);
  const batches: Fitting<QueryRow>[] = [];
  const begin = (): void => source.begin((batch) => batches.push(batch));
  return { rings, source, batches, begin, tick: () => t.mock.timers.tick(everyMs) };
}

describe('queries for events', () => {
  it('come in batches, in the order of their time, as the API words them', (t) => {
    const { rings, batches, begin, tick } = watched(t);
    rings.answer(0, { name: 'before.example', timeMs: 1 });
    begin();
    rings.answer(0, { name: 'two.example', timeMs: 2000 });
    rings.answer(1, { name: 'one.example', timeMs: 1500, how: 6 | (1 << 12) });
    tick();
    tick();
    const common = {
      type: 'AAAA',
      client: { ip: '10.0.0.5' },
      reply: { type: 'IP', time: 0.0015 },
      list_id: 4,
    };
    assert.deepEqual(batches, [
      {
        kept: [
          { ...common, time: 1.5, domain: 'one.example', status: 'GRAVITY' },
          { ...common, time: 2, domain: 'two.example', status: 'FORWARDED' },
        ],
        leftOut: 0,
      },
    ]);
  });

  it('are not read when there are too many, but counted', (t) => {
    const { rings, batches, begin, tick } = watched(t);
    begin();
    for (let i = 0; i < limits.eventItems + 50; i++) rings.answer(i & 1, { name: 'a.example', timeMs: i });
    tick();
    rings.answer(0, { name: 'a.example', timeMs: 0 });
    tick();
    const sizes = batches.map(({ kept, leftOut }) => [kept.length, leftOut]);
    const [first = 0] = sizes[0] ?? [];
    assert.deepEqual(sizes, [
      [first, limits.eventItems + 50 - first],
      [1, 0],
    ]);
    assert.ok(first > 100 && JSON.stringify(batches[0]).length < limits.eventBytes + 200);
  });

  it('fit into an event however long their names are', (t) => {
    const { rings, batches, begin, tick } = watched(t);
    begin();
    const label = '\\001'.repeat(62);
    for (let i = 0; i < limits.eventItems; i++)
      rings.answer(0, { name: `${label}.${label}.${label}.${label}`, timeMs: i });
    tick();
    const [batch] = batches;
    assert.ok(batch !== undefined && batch.kept.length > 10 && batch.leftOut > 100);
    assert.ok(JSON.stringify(batch).length < limits.eventBytes + 200);
  });

  it('are not looked at once nobody wants them', (t) => {
    const { rings, source, batches, begin, tick } = watched(t);
    begin();
    assert.equal(rings.isWatched, true);
    rings.answer(0, { name: 'a.example', timeMs: 1 });
    source.end();
    assert.equal(rings.isWatched, false);
    tick();
    assert.deepEqual(batches, []);
  });
});

describe('the status of a query', () => {
  const [list, exact, regex] = [1 << 12, 2 << 12, 3 << 12];
  const table: readonly (readonly [number, string])[] = [
    [1, 'FORWARDED'],
    [2, 'CACHE'],
    [3, 'CACHE_STALE'],
    [4, 'CACHE'],
    [5, 'SPECIAL_DOMAIN'],
    [6 | list, 'GRAVITY'],
    [6 | exact, 'DENYLIST'],
    [6 | regex, 'REGEX'],
    [7 | list, 'GRAVITY_CNAME'],
    [7 | exact, 'DENYLIST_CNAME'],
    [7 | regex, 'REGEX_CNAME'],
    [8, 'EXTERNAL_BLOCKED_NULL'],
    [9, 'UNKNOWN'],
    // An allow rule spoke, and the answer came from an upstream.
    [1 | exact, 'FORWARDED'],
    [0, 'UNKNOWN'],
  ];
  for (const [how, status] of table)
    it(`${how.toString(16)} is ${status}`, () => assert.equal(statusText(how), status));
});
