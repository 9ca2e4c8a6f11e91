// Queries that are counted but not stored (privacy level 3): how many of each kind there were, in slots of
// 600 s. They stay in memory for 24 hours and appear only in the statistics of that time; they contain no
// name and no client, and never reach the disk. A slot stores the combinations of small fields that occurred,
// so that memory is bounded whatever the queries are.

import { encodeCounts } from './counts.ts';
import type { Condition, Dictionaries, Range } from './filter.ts';
import { hiddenClient, hiddenName } from './hidden.ts';
import { slotMs, slotsPerDay } from './last-day.ts';
import { partialSumFrom, type PartialSum } from './partial-sum.ts';
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

/** Kinds in one slot; above that only statuses are distinguished. */
const maxKinds = 1_024;
/** Kinds in all slots together, some megabytes; above that only statuses are distinguished. */
const maxKindsInAll = 16_384;
/** The slots of the last day, and as many in the future, because clocks are set back. */
const maxSlots = 2 * slotsPerDay + 1;
/** How many seconds are counted one by one, for the frequency. */
const maxSeconds = 120;
/** A record may be this much newer than the time at which it is read. */
const aheadSeconds = 1;

/** Except for ANY, no type above this has its own name in any statistic. */
const lastNamedType = 65;
const anyType = 255;

/** Queries that are equal in all stored fields. */
interface Kind {
  readonly type: number;
  readonly status: number;
  readonly reply: number;
  readonly dnssec: number;
  readonly list: number;
  /** '' when no upstream was used. */
  readonly upstream: string;
  readonly times: UpstreamTimes;
}

export class Unlogged {
  readonly #slots = new Map<number, Map<string, Kind>>();
  readonly #seconds = new Map<number, number>();
  #kindsInAll = 0;

  /** `upstream` is '' when none was used. */
  add({ timeMs, values }: RowFields, upstream: string): void {
    const type = values[Column.type] ?? 0;
    const kinds = this.#kindsAt(Math.floor(timeMs / slotMs));
    const before = kinds.size;
    const most = this.#kindsInAll < maxKindsInAll ? maxKinds : 0;
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
    if (this.#slots.size >= maxSlots) this.#drop(Math.min(...this.#slots.keys()));
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
    if (count === undefined && this.#seconds.size >= maxSeconds)
      this.#seconds.delete(Math.min(...this.#seconds.keys()));
    this.#seconds.set(second, (count ?? 0) + 1);
  }

  /** How many queries came since then, within the last two minutes. */
  countSince(fromMs: number): number {
    let sum = 0;
    for (const [second, count] of this.#seconds) if (second * 1000 >= fromMs) sum += count;
    return sum;
  }

  /** Drops what is not within the last 24 hours, and seconds in the future, because clocks are set back. */
  age(nowMs: number): void {
    const now = Math.floor(nowMs / slotMs);
    for (const slot of this.#slots.keys()) if (Math.abs(slot - now) >= slotsPerDay) this.#drop(slot);
    const nowSecond = Math.floor(nowMs / 1000);
    for (const second of this.#seconds.keys())
      if (second < nowSecond - maxSeconds || second > nowSecond + aheadSeconds) this.#seconds.delete(second);
  }

  clear(): void {
    this.#slots.clear();
    this.#kindsInAll = 0;
    this.#seconds.clear();
  }

  /** The slots that the range touches, under the conditions; undefined when there are none. */
  partialSumOf(range: Range, conditions: readonly Condition[], texts: Dictionaries): PartialSum | undefined {
    const touched = [...this.#slots]
      .filter(([slot]) => (slot + 1) * slotMs > range.fromMs && slot * slotMs < range.untilMs)
      .toSorted(([a], [b]) => a - b);
    if (touched.length === 0) return undefined;
    const sums = new Sums(texts);
    for (const [slot, kinds] of touched) for (const kind of kinds.values()) sums.add(slot, kind, conditions);
    return sums.partialSum();
  }
}

/** With `most` kinds, only a new status adds another one. */
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

/** The same sums as those of stored rows whose name and client are hidden. */
class Sums {
  readonly #texts: Dictionaries;
  readonly #name: number;
  readonly #client: number;
  /** Each is looked up once, because a lookup reads the database and there may be thousands of kinds. */
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

  partialSum(): PartialSum | undefined {
    if (this.#rows === 0) return undefined;
    const one = (id: number, count: number): Uint8Array => coded(new Map([[id, count]]));
    const bySlot = [...this.#slots].map(([slot, { total }]) => [slot, one(this.#client, total)] as const);
    return partialSumFrom({
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

/** A list contains no zero counts. */
function coded(counts: ReadonlyMap<number, number>): Uint8Array {
  const ascending = [...counts].filter(([, count]) => count > 0).toSorted(([a], [b]) => a - b);
  return encodeCounts({
    ids: Uint32Array.from(ascending, ([id]) => id),
    counts: Float64Array.from(ascending, ([, count]) => count),
  });
}
