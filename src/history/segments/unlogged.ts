// Queries that are counted but not remembered (privacy level 3): how many of each kind there were, in slots
// of 600 s. They stay in memory, for 24 hours, and in the statistics of that time only; no name and no client
// is among what is kept, and nothing of it ever reaches the disk. What is kept of a slot are the combinations
// of small fields that occurred, so that memory is bounded whatever is asked.

import { encodeCounts } from './counts.ts';
import type { Condition, Dictionaries, Range } from './filter.ts';
import { hiddenClient, hiddenName } from './hidden.ts';
import { slotMs, slotsPerDay } from './last-day.ts';
import { pieceFrom, type Piece } from './partial-sum.ts';
import {
  addTimes,
  encodeClients,
  encodeHead,
  headColumns,
  type Slot,
  type UpstreamTimes,
} from './rollup-code.ts';
import { Column, columnNumbers, type RowFields } from './rows.ts';
import { classesOfStatuses, StatusClass } from './statuses.ts';

/** Of a slot; beyond that nothing but the status is told apart. */
const mostKinds = 1_024;
/** Of all slots together, which are some megabytes; beyond that the same. */
const mostKindsInAll = 16_384;
/** Those of the last day, and of as long ahead: clocks are set back. */
const mostSlots = 2 * slotsPerDay + 1;
/** Seconds that are counted one by one, for the frequency. */
const mostSeconds = 120;
/** A record may be newer than the time at which it is looked at. */
const aheadSeconds = 1;

/** No type above it has a name of its own in any statistic, but for ANY. */
const lastNamedType = 65;
const anyType = 255;

/** Queries that are the same in all that is kept of them. */
interface Kind {
  readonly type: number;
  readonly status: number;
  readonly reply: number;
  readonly dnssec: number;
  readonly list: number;
  /** '' when none was asked. */
  readonly upstream: string;
  readonly times: UpstreamTimes;
}

export class Unlogged {
  readonly #slots = new Map<number, Map<string, Kind>>();
  readonly #seconds = new Map<number, number>();
  #kindsInAll = 0;

  /** `upstream` is '' when none was asked. */
  add({ timeMs, values }: RowFields, upstream: string): void {
    const type = values[Column.type] ?? 0;
    const kinds = this.#kindsAt(Math.floor(timeMs / slotMs));
    const before = kinds.size;
    const most = this.#kindsInAll < mostKindsInAll ? mostKinds : 0;
    const kind = kindIn(kinds, most, {
      type: type <= lastNamedType || type === anyType ? type : 0,
      status: values[Column.status] ?? 0,
      reply: values[Column.reply] ?? 0,
      dnssec: values[Column.dnssec] ?? 0,
      list: values[Column.list] ?? 0,
      upstream,
    });
    this.#kindsInAll += kinds.size - before;
    const sumUs = values[Column.durationUs] ?? 0;
    kind.times.count++;
    kind.times.sumUs += sumUs;
    kind.times.sumSquaresUs += sumUs * sumUs;
    this.#countSecond(Math.floor(timeMs / 1000));
  }

  #kindsAt(slot: number): Map<string, Kind> {
    const known = this.#slots.get(slot);
    if (known !== undefined) return known;
    if (this.#slots.size >= mostSlots) this.#drop(Math.min(...this.#slots.keys()));
    const kinds = new Map<string, Kind>();
    this.#slots.set(slot, kinds);
    return kinds;
  }

  #drop(slot: number): void {
    this.#kindsInAll -= this.#slots.get(slot)?.size ?? 0;
    this.#slots.delete(slot);
  }

  #countSecond(second: number): void {
    const count = this.#seconds.get(second);
    if (count === undefined && this.#seconds.size >= mostSeconds)
      this.#seconds.delete(Math.min(...this.#seconds.keys()));
    this.#seconds.set(second, (count ?? 0) + 1);
  }

  /** How many came since, of the last two minutes. */
  countSince(fromMs: number): number {
    let sum = 0;
    for (const [second, count] of this.#seconds) if (second * 1000 >= fromMs) sum += count;
    return sum;
  }

  /** What is no part of the last 24 hours goes, and so do seconds ahead: clocks are set back. */
  age(nowMs: number): void {
    const now = Math.floor(nowMs / slotMs);
    for (const slot of this.#slots.keys()) if (Math.abs(slot - now) >= slotsPerDay) this.#drop(slot);
    const nowSecond = Math.floor(nowMs / 1000);
    for (const second of this.#seconds.keys())
      if (second < nowSecond - mostSeconds || second > nowSecond + aheadSeconds) this.#seconds.delete(second);
  }

  clear(): void {
    this.#slots.clear();
    this.#kindsInAll = 0;
    this.#seconds.clear();
  }

  /** The slots that the range touches, as far as they fit; nothing when there are none. */
  pieceOf(range: Range, conditions: readonly Condition[], texts: Dictionaries): Piece | undefined {
    const touched = [...this.#slots]
      .filter(([slot]) => (slot + 1) * slotMs > range.fromMs && slot * slotMs < range.untilMs)
      .toSorted(([a], [b]) => a - b);
    if (touched.length === 0) return undefined;
    const sums = new Sums(texts);
    for (const [slot, kinds] of touched) for (const kind of kinds.values()) sums.add(slot, kind, conditions);
    return sums.piece();
  }
}

/** With `most` of them there nothing but the status makes a new one. */
function kindIn(kinds: Map<string, Kind>, most: number, fields: Omit<Kind, 'times'>): Kind {
  const { type, status, reply, dnssec, list, upstream } = fields;
  const key = `${type} ${status} ${reply} ${dnssec} ${list} ${upstream}`;
  const known = kinds.get(key);
  if (known !== undefined) return known;
  const isPlain = (type | reply | dnssec | list) === 0 && upstream === '';
  if (kinds.size >= most && !isPlain)
    return kindIn(kinds, most, { type: 0, status, reply: 0, dnssec: 0, list: 0, upstream: '' });
  const made = { ...fields, times: { count: 0, sumUs: 0, sumSquaresUs: 0 } };
  kinds.set(key, made);
  return made;
}

/** The same sums as those of stored rows, of rows whose name and client are hidden. */
class Sums {
  readonly #texts: Dictionaries;
  readonly #name: number;
  readonly #client: number;
  /** Each is looked for once, as the database is asked for it: there may be thousands of kinds. */
  readonly #upstreamIds = new Map([['', 0]]);
  readonly #values = new Uint32Array(columnNumbers.length);
  readonly #counts = new Map(headColumns.map((column) => [column, new Map<number, number>()]));
  readonly #listBlocks = new Map<number, number>();
  readonly #slots = new Map<number, Slot>();
  readonly #upstreams = new Map<number, UpstreamTimes>();
  #rows = 0;
  #blocked = 0;

  constructor(texts: Dictionaries) {
    this.#texts = texts;
    this.#name = texts.names.idOf(hiddenName);
    this.#client = texts.clients.idOf(hiddenClient);
  }

  add(slot: number, kind: Kind, conditions: readonly Condition[]): void {
    const values = this.#valuesOf(kind);
    if (!conditions.every(({ column, set }) => set.has(values[column] ?? 0))) return;
    const { count } = kind.times;
    const rowClass = classesOfStatuses[kind.status] ?? 0;
    for (const [column, counts] of this.#counts) addCount(counts, values[column] ?? 0, count);
    if (rowClass === StatusClass.blocked) addCount(this.#listBlocks, kind.list, count);
    const upstream = values[Column.upstream] ?? 0;
    if (upstream !== 0) addTimes(this.#upstreams, upstream, kind.times);
    this.#addSlot(slot, rowClass, count);
    this.#rows += count;
    if (rowClass === StatusClass.blocked) this.#blocked += count;
  }

  #valuesOf({ type, status, reply, dnssec, list, upstream }: Kind): Uint32Array {
    const values = this.#values;
    values[Column.name] = this.#name;
    values[Column.client] = this.#client;
    values[Column.type] = type;
    values[Column.status] = status;
    values[Column.reply] = reply;
    values[Column.dnssec] = dnssec;
    values[Column.list] = list;
    values[Column.upstream] = this.#upstreamId(upstream);
    return values;
  }

  #upstreamId(upstream: string): number {
    const known = this.#upstreamIds.get(upstream);
    if (known !== undefined) return known;
    const id = this.#texts.upstreams.idOf(upstream);
    this.#upstreamIds.set(upstream, id);
    return id;
  }

  #addSlot(slot: number, rowClass: number, count: number): void {
    const sums = this.#slots.get(slot) ?? { total: 0, cached: 0, blocked: 0, forwarded: 0 };
    sums.total += count;
    if (rowClass === StatusClass.cached) sums.cached += count;
    if (rowClass === StatusClass.blocked) sums.blocked += count;
    if (rowClass === StatusClass.forwarded) sums.forwarded += count;
    this.#slots.set(slot, sums);
  }

  piece(): Piece | undefined {
    if (this.#rows === 0) return undefined;
    const one = (id: number, count: number): Uint8Array => coded(new Map([[id, count]]));
    const bySlot = [...this.#slots].map(([slot, { total }]) => [slot, one(this.#client, total)] as const);
    return pieceFrom({
      rows: this.#rows,
      blocked: this.#blocked,
      minMs: Infinity,
      maxMs: -Infinity,
      head: encodeHead({
        counts: new Map([...this.#counts].map(([column, counts]) => [column, coded(counts)])),
        listBlocks: coded(this.#listBlocks),
        slots: this.#slots,
        upstreams: this.#upstreams,
      }),
      clients: encodeClients({
        totals: one(this.#client, this.#rows),
        blocked: one(this.#client, this.#blocked),
        slots: new Map(bySlot),
      }),
      permitted: one(this.#name, this.#rows - this.#blocked),
      denied: one(this.#name, this.#blocked),
    });
  }
}

function addCount(counts: Map<number, number>, value: number, count: number): void {
  counts.set(value, (counts.get(value) ?? 0) + count);
}

/** What does not occur is no part of a list. */
function coded(counts: ReadonlyMap<number, number>): Uint8Array {
  const ascending = [...counts].filter(([, count]) => count > 0).toSorted(([a], [b]) => a - b);
  return encodeCounts({
    ids: Uint32Array.from(ascending, ([id]) => id),
    counts: Float64Array.from(ascending, ([, count]) => count),
  });
}
