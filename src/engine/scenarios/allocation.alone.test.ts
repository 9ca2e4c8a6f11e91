// The path of a cached, local, blocked or refused answer allocates nothing: hundreds of thousands of queries,
// and the heap grows by less than a byte for each. The clock has fractions, as the real one does: such a
// number is on the heap as soon as it is handed from function to function. This file needs a process of its
// own, and --single-threaded: then V8 compiles and collects garbage at the same queries in each run, and no
// other test's heap is counted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyPolicy, noRank, type Policy, type Verdict } from '#policy';
import { nameFromText } from '#wire';
import { Engine } from '../engine.ts';
import { Outgoing } from '../net/outgoing.ts';
import { countersBytes } from '../record/counters.ts';
import { makeRecordRing, RecordReader } from '../record/record-ring.ts';
import { makeQuery, makeReply } from '#testing/engine/messages';
import { SentQuery, usualOptions } from '#testing/engine/network';
import { ScriptedForwarder } from '#testing/engine/scripted-forwarder';

const warmUps = 100_000;
const queries = 200_000;
/** What a wake-up allocates once is not the question here. */
const batch = 1000;
const chunks = 25;
const maxBytesPerQuery = 1;

const blocked: Verdict = {
  kind: 'block',
  reason: 'list',
  rank: 7,
  ruleId: 9,
  listId: 1,
  form: undefined,
  text: 'a list',
};
const pass: Verdict = { ...blocked, kind: 'pass', rank: noRank };

/** Blocks what begins with `ads`; makes no object. */
const policy: Policy = {
  ...emptyPolicy,
  decide: (name) => (name[1] === 0x61 && name[2] === 0x64 && name[3] === 0x73 ? blocked : pass),
  decideAddress: () => pass,
};

class Bench {
  readonly #forwarder = new ScriptedForwarder();
  readonly #records = makeRecordRing(1 << 16);
  readonly #reader = new RecordReader(this.#records);
  readonly #out = new Uint8Array(4096);
  readonly #engine: Engine;
  readonly #ask: SentQuery;
  readonly #ignore = (): void => undefined;
  onBatch = (): void => undefined;
  nowMs = 1_000_000.25;
  minBytes = 20;

  constructor(client = '192.168.1.10') {
    this.#ask = new SentQuery('udp', client, '192.168.1.2');
    const local = { ...usualOptions.local.records, hosts: ['192.168.1.20 nas.lan', 'fd00::1 nas.lan'] };
    const options = {
      ...usualOptions,
      local: { ...usualOptions.local, records: local },
      rateLimit: { ...usualOptions.rateLimit, count: 100_000_000 },
    };
    this.#engine = new Engine(options, {
      policy,
      forwarder: this.#forwarder,
      outgoing: new Outgoing(),
      cacheBytes: 1 << 20,
      hashSeed: 7,
      records: this.#records,
      counters: new SharedArrayBuffer(countersBytes),
      nowMs: () => this.nowMs,
      wallMs: () => 1_700_000_000_000.5,
      onBusy: () => undefined,
    });
  }

  /** Puts a name with so many addresses into the cache. */
  learn(name: string, addresses: number): void {
    const query = makeQuery([name, 'A']).bytes;
    this.#engine.beginBatch();
    this.#engine.answer(this.#ask, query, 0, query.length, this.#out, 0, 4096);
    const [asked] = this.#forwarder.questions.splice(0);
    assert.ok(asked !== undefined);
    const records = [`${name} 3600 CNAME cdn.${name}`];
    for (let i = 1; i <= addresses; i++) records.push(`cdn.${name} 3600 A 198.18.0.${i}`);
    this.#forwarder.reply(asked, makeReply(asked.question, ['NOERROR'], records));
    assert.equal(nameFromText(name)?.length, asked.question.name.length);
  }

  run(packets: readonly Uint8Array[], count: number): void {
    const engine = this.#engine;
    for (let done = 0; done < count;) {
      this.nowMs += 0.5;
      engine.beginBatch();
      for (let i = 0; i < batch; i++, done++) {
        const query = packets[done % packets.length] ?? this.#out;
        const length = engine.answer(this.#ask, query, 0, query.length, this.#out, 0, 4096);
        if (length < this.minBytes) throw new Error('no answer');
      }
      engine.endBatch();
      this.onBatch();
      this.#reader.read(batch, this.#ignore);
    }
  }
}

/** The growth of the heap in the middle one of many chunks: the collector comes by in a few of them. */
function bytesPerQuery(bench: Bench, packets: readonly Uint8Array[]): number {
  const grown: number[] = [];
  for (let chunk = 0; chunk < chunks; chunk++) {
    const before = process.memoryUsage().heapUsed;
    bench.run(packets, queries / chunks);
    grown.push(process.memoryUsage().heapUsed - before);
  }
  return (grown.toSorted((one, other) => one - other)[chunks >> 1] ?? Infinity) / (queries / chunks);
}

/** The second is close to the 1232 bytes of a datagram. */
const largeNames = [
  ['twenty.example', 20],
  ['many.example', 35],
] as const;

const rows: readonly (readonly [string, readonly string[]])[] = [
  ['cached', ['www.example A', 'WWW.other.example A', 'www.example A noedns']],
  ['large cached', largeNames.map(([name]) => `${name} A`)],
  [
    'local',
    ['nas.lan A', 'nas.lan AAAA', '20.1.168.192.in-addr.arpa PTR', 'nas.lan HTTPS', 'sluice.internal A'],
  ],
  ['blocked', ['ads.example A', 'ads.example AAAA', 'ads.tracker.example HTTPS', 'ads.example A noedns']],
];

for (const [title, questions] of rows)
  test(`${title} answers allocate nothing`, () => {
    const bench = new Bench();
    for (const name of ['www.example', 'www.other.example']) bench.learn(name, 1);
    for (const [name, addresses] of largeNames) bench.learn(name, addresses);
    const packets = questions.map((words) => makeQuery(words.split(' ')).bytes);
    bench.run(packets, warmUps);
    const bytes = bytesPerQuery(bench, packets);
    assert.ok(bytes < maxBytesPerQuery, `${bytes} bytes per query`);
  });

test('refused and unanswered queries allocate nothing', () => {
  const bench = new Bench('203.0.113.9');
  bench.minBytes = 0;
  const packets = [makeQuery(['www.example', 'A']).bytes];
  bench.run(packets, warmUps);
  const bytes = bytesPerQuery(bench, packets);
  assert.ok(bytes < maxBytesPerQuery, `${bytes} bytes per query`);
});

test('an allocation of sixteen bytes per query is detected', () => {
  const bench = new Bench();
  const kept: unknown[] = [];
  bench.onBatch = () => {
    for (let i = 0; i < batch; i++) kept[0] = { number: i };
  };
  const packets = [makeQuery(['ads.example', 'A']).bytes];
  bench.run(packets, warmUps);
  assert.ok(bytesPerQuery(bench, packets) > 8);
});
