// For tests and benchmarks: generates the queries of a network from a seed (few names are frequent, most are
// rare; more queries by day than by night), writes them into a ring as a dns worker does, and lets a store
// read them from there. The data takes the same path as in production; only the clock is simulated.

import {
  makeRecordRing,
  RecordFlag,
  recordHeaderBytes,
  RecordReader,
  RecordWord,
  RecordWriter,
} from '#engine';
import { nameFromText } from '#wire';
import type { HistoryStore } from '../../history/segments/history-store.ts';
import { keepEverything } from '../../history/segments/retention.ts';
import { Random } from '../random.ts';

export interface GeneratorOptions {
  readonly seed: number;
  readonly rows: number;
  readonly hours: number;
  readonly names: number;
  readonly clients: number;
  /** Start of the first hour. */
  readonly fromMs: number;
}

/** A query as it is written into the ring. */
export interface MadeQuery {
  timeMs: number;
  name: number;
  /** The number of the client determines its address. */
  client: number;
  type: number;
  /** See `Origin` and the other enums of the engine's record. */
  origin: number;
  reason: number;
  listId: number;
  ruleId: number;
  /** -1: none. */
  upstream: number;
  replyKind: number;
  rcode: number;
  dnssec: number;
  durationUs: number;
  /** Undefined: none. */
  ede?: number;
  /** How the upstream blocked. */
  upstreamBlock?: number;
  /** The privacy level of the client's groups. */
  privacy?: number;
}

const hourMs = 3_600_000;
const ringBytes = 1 << 22;
const batchRows = 8_000;
export const madeUpstreams: readonly string[] = ['192.0.2.1#53', '192.0.2.2#53', '2001:db8::1#853'];
const zones = ['example', 'example.com', 'cdn.example.net', 'home.arpa'] as const;

export function madeName(number: number): string {
  return `h${number.toString(36)}.site${number % 977}.${zones[number % zones.length] ?? 'example'}`;
}

/** Every tenth client has an IPv6 address. */
export function madeAddress(client: number): string {
  return client % 10 === 9
    ? `2001:db8::${(client + 1).toString(16)}`
    : `10.${(client >> 16) & 255}.${(client >> 8) & 255}.${client & 255}`;
}

const types = [1, 1, 1, 1, 1, 1, 28, 28, 28, 65, 65, 12, 16, 33] as const;

export class Generator {
  readonly #options: GeneratorOptions;
  readonly #random: Random;
  readonly #names: (Uint8Array | undefined)[] = [];
  readonly query: MadeQuery = {
    timeMs: 0,
    name: 0,
    client: 0,
    type: 1,
    origin: 1,
    reason: 0,
    listId: 0,
    ruleId: 0,
    upstream: -1,
    replyKind: 4,
    rcode: 0,
    dnssec: 0,
    durationUs: 0,
  };

  constructor(options: GeneratorOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  /** How many queries come in this hour: twice as many by day as by night, `rows` in all. */
  rowsOf(hour: number): number {
    const { rows, hours } = this.#options;
    const until = (end: number): number => {
      const wave = end / 24 - Math.sin((2 * Math.PI * end) / 24) / (6 * Math.PI);
      const whole = hours / 24 - Math.sin((2 * Math.PI * hours) / 24) / (6 * Math.PI);
      return Math.round((rows * wave) / whole);
    };
    return until(hour + 1) - until(hour);
  }

  /** The next query, at this time. */
  make(timeMs: number): MadeQuery {
    const { query } = this;
    const { names, clients } = this.#options;
    const pick = (end: number): number => Math.floor(this.#random.fraction() * end);
    query.timeMs = timeMs;
    // The logarithm of the name's number is uniformly distributed: name 10 is ten times as frequent as name
    // 100.
    query.name = Math.floor(Math.exp(this.#random.fraction() * Math.log(names)));
    query.client = Math.floor(clients * this.#random.fraction() ** 2);
    query.type = types[pick(types.length)] ?? 1;
    query.durationUs = 20 + pick(60);
    query.upstream = -1;
    query.dnssec = 0;
    query.rcode = 0;
    query.replyKind = 4;
    query.listId = 0;
    query.ruleId = 0;
    query.reason = 0;
    if (query.name % 6 === 0) this.#block(query.name);
    else this.#answer(pick(100));
    return query;
  }

  #block(name: number): void {
    const { query } = this;
    query.origin = name % 60 === 0 ? 7 : 6;
    query.reason = name % 18 === 0 ? 2 + ((name / 18) & 1) : 1;
    if (query.reason === 1) query.listId = 1 + (name % 5);
    else query.ruleId = 1 + (name % 40);
  }

  #answer(dice: number): void {
    const { query } = this;
    query.origin = dice < 50 ? 2 : 1;
    if (dice >= 97) query.origin = 3;
    if (dice < 3) query.origin = 4;
    if (query.origin === 1) {
      query.upstream = query.name % madeUpstreams.length;
      query.durationUs = Math.floor(2_000 * Math.exp(3 * this.#random.fraction()));
    }
    query.dnssec = query.name % 20 === 1 ? 1 : 0;
    if (query.name % 25 === 2) {
      query.rcode = 3;
      query.replyKind = 2;
    } else if (query.type !== 1 && query.type !== 28) query.replyKind = query.type === 12 ? 5 : 10;
  }

  write(writer: RecordWriter, query: MadeQuery): void {
    const name = (this.#names[query.name] ??= nameFromText(madeName(query.name)) ?? Uint8Array.of(0));
    writeQuery(writer, query, name);
  }
}

/** Writes a record as the engine does. Throws if the ring is full. */
export function writeQuery(
  writer: RecordWriter,
  query: MadeQuery,
  name: Uint8Array,
  target: Uint8Array = new Uint8Array(0),
): void {
  const nameBytes = (name.length + 3) & ~3;
  const at = writer.begin(nameBytes + target.length);
  if (at < 0) throw new RangeError('the ring is full');
  const { words, doubles, bytes } = writer;
  const word = at >> 2;
  doubles[at >> 3] = query.timeMs;
  words[word + RecordWord.durationUs] = query.durationUs;
  writeAddress(words, word + RecordWord.client, query.client);
  words[word + RecordWord.ruleId] = query.ruleId;
  words[word + RecordWord.listId] = query.listId;
  const { ede = -1, upstreamBlock = 0, privacy = 0 } = query;
  words[word + RecordWord.typeAndRcode] =
    query.type |
    (query.rcode << 16) |
    (privacy << RecordFlag.privacyShift) |
    (target.length > 0 ? RecordFlag.hasTarget : 0);
  words[word + RecordWord.how] =
    query.origin | (upstreamBlock << 4) | (query.reason << 12) | ((query.upstream + 1) << 16);
  words[word + RecordWord.sizes] =
    name.length | (query.dnssec << 12) | (query.replyKind << 16) | ((ede + 1) << 24);
  const place = at + recordHeaderBytes;
  // The bytes after a name are zero up to the next word.
  for (const end of [place + name.length, place + nameBytes + target.length]) words[(end - 1) >> 2] = 0;
  bytes.set(name, place);
  bytes.set(target, place + nameBytes);
}

function writeAddress(words: Int32Array, at: number, client: number): void {
  const isIpv6 = client % 10 === 9;
  words[at] = isIpv6 ? 0x20010db8 : 0;
  words[at + 1] = 0;
  words[at + 2] = isIpv6 ? 0 : 0xffff;
  words[at + 3] = isIpv6 ? client + 1 : 0x0a000000 | client;
}

/** A ring with its writer and reader. */
export function makeRing(): { readonly writer: RecordWriter; readonly reader: RecordReader } {
  const memory = makeRecordRing(ringBytes);
  return { writer: new RecordWriter(memory), reader: new RecordReader(memory) };
}

/** Fills the store hour by hour; `see` is called with each query, which is the same object every time. */
export function fill(store: HistoryStore, options: GeneratorOptions, see?: (query: MadeQuery) => void): void {
  const generator = new Generator(options);
  const { writer, reader } = makeRing();
  for (let hour = 0; hour < options.hours; hour++) {
    const fromMs = options.fromMs + hour * hourMs;
    const count = generator.rowsOf(hour);
    store.everySecond(fromMs);
    for (let row = 0; row < count; row++) {
      const query = generator.make(fromMs + Math.floor(((row + 0.5) * hourMs) / count));
      generator.write(writer, query);
      see?.(query);
      if ((row + 1) % batchRows === 0 || row === count - 1) {
        writer.publish();
        store.readRecords(reader, { upstreams: madeUpstreams });
      }
    }
    if (hour % 24 === 0) while (store.everyMinute(fromMs, keepEverything));
  }
}
