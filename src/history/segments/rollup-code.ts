// The sums of a set of rows, from which every statistic is computed: counts by each small field, slots of
// 600 s, times of upstreams, counts by client, and by name (permitted and blocked separately). A segment has
// one rollup, a day has one merged from them, and rows at the edge of a range are summed into one: readers
// treat all of them alike. This file has their forms in memory and on the disk, and merges them.

import { ByteReader, ByteWriter } from './byte-stream.ts';
import { mergeCounts } from './counts-sum.ts';
import { encodeCounts } from './counts.ts';
import { Column, type ColumnNumber } from './rows.ts';

export const slotSeconds = 600;

/** Fields with few distinct values; the head counts how often each occurs. */
export const headColumns = [
  Column.type,
  Column.status,
  Column.reply,
  Column.dnssec,
  Column.upstream,
  Column.list,
  // Few, and the sweep of unused names needs them.
  Column.cname,
] as const satisfies readonly ColumnNumber[];

export interface Slot {
  total: number;
  cached: number;
  blocked: number;
  forwarded: number;
}

export interface UpstreamTimes {
  count: number;
  sumUs: number;
  sumSquaresUs: number;
}

export interface Head {
  /** Encoded lists of counts. */
  readonly counts: ReadonlyMap<ColumnNumber, Uint8Array>;
  /** For each list, how many rows it blocked. */
  readonly listBlocks: Uint8Array;
  readonly slots: ReadonlyMap<number, Slot>;
  readonly upstreams: ReadonlyMap<number, UpstreamTimes>;
}

export interface ClientSums {
  readonly totals: Uint8Array;
  readonly blocked: Uint8Array;
  /** For each slot, the queries of each client. */
  readonly slots: ReadonlyMap<number, Uint8Array>;
}

export type RollupPart = 'head' | 'clients' | 'permitted' | 'denied';

export interface Rollup {
  readonly rows: number;
  readonly blocked: number;
  readonly minMs: number;
  readonly maxMs: number;
  readonly head: Uint8Array;
  readonly clients: Uint8Array;
  readonly permitted: Uint8Array;
  readonly denied: Uint8Array;
}

export function addTimes(sums: Map<number, UpstreamTimes>, upstream: number, times: UpstreamTimes): void {
  const sum = sums.get(upstream);
  if (sum === undefined) {
    sums.set(upstream, { ...times });
    return;
  }
  sum.count += times.count;
  sum.sumUs += times.sumUs;
  sum.sumSquaresUs += times.sumSquaresUs;
}

function addSlot(sums: Map<number, Slot>, slot: number, more: Slot): void {
  const sum = sums.get(slot);
  if (sum === undefined) {
    sums.set(slot, { ...more });
    return;
  }
  sum.total += more.total;
  sum.cached += more.cached;
  sum.blocked += more.blocked;
  sum.forwarded += more.forwarded;
}

export function encodeHead({ counts, listBlocks, slots, upstreams }: Head): Uint8Array {
  const writer = new ByteWriter();
  for (const column of headColumns) writer.sizedBytes(counts.get(column) ?? encodeCounts(nothing));
  writer.sizedBytes(listBlocks);
  writer.number(slots.size);
  for (const [slot, { total, cached, blocked, forwarded }] of slots)
    for (const number of [slot, total, cached, blocked, forwarded]) writer.number(number);
  for (const [upstream, { count, sumUs, sumSquaresUs }] of upstreams) {
    writer.number(upstream);
    writer.number(count);
    writer.double(sumUs);
    writer.double(sumSquaresUs);
  }
  return writer.finish();
}

const nothing = { ids: new Uint32Array(0), counts: new Float64Array(0) };

export function decodeHead(bytes: Uint8Array): Head {
  const reader = new ByteReader(bytes);
  const counts = new Map<ColumnNumber, Uint8Array>(
    headColumns.map((column) => [column, reader.sizedBytes()]),
  );
  const listBlocks = reader.sizedBytes();
  const slots = new Map<number, Slot>();
  for (let left = reader.number(); left > 0; left--) {
    const slot = reader.number();
    const total = reader.number();
    const cached = reader.number();
    slots.set(slot, { total, cached, blocked: reader.number(), forwarded: reader.number() });
  }
  const upstreams = new Map<number, UpstreamTimes>();
  while (!reader.isAtEnd) {
    const upstream = reader.number();
    const count = reader.number();
    upstreams.set(upstream, { count, sumUs: reader.double(), sumSquaresUs: reader.double() });
  }
  return { counts, listBlocks, slots, upstreams };
}

export function encodeClients({ totals, blocked, slots }: ClientSums): Uint8Array {
  const writer = new ByteWriter();
  writer.sizedBytes(totals);
  writer.sizedBytes(blocked);
  for (const [slot, counts] of slots) {
    writer.number(slot);
    writer.sizedBytes(counts);
  }
  return writer.finish();
}

export function decodeClients(bytes: Uint8Array): ClientSums {
  const reader = new ByteReader(bytes);
  const totals = reader.sizedBytes();
  const blocked = reader.sizedBytes();
  const slots = new Map<number, Uint8Array>();
  while (!reader.isAtEnd) slots.set(reader.number(), reader.sizedBytes());
  return { totals, blocked, slots };
}

function merged(lists: readonly Uint8Array[]): Uint8Array {
  return encodeCounts(mergeCounts(lists));
}

export function mergeRollups(rollups: readonly Rollup[]): Rollup {
  const sum = (of: (rollup: Rollup) => number): number => rollups.reduce((all, one) => all + of(one), 0);
  return {
    rows: sum(({ rows }) => rows),
    blocked: sum(({ blocked }) => blocked),
    minMs: Math.min(...rollups.map(({ minMs }) => minMs)),
    maxMs: Math.max(...rollups.map(({ maxMs }) => maxMs)),
    head: encodeHead(mergeHeads(rollups.map(({ head }) => decodeHead(head)))),
    clients: encodeClients(mergeClients(rollups.map(({ clients }) => decodeClients(clients)))),
    permitted: merged(rollups.map(({ permitted }) => permitted)),
    denied: merged(rollups.map(({ denied }) => denied)),
  };
}

export function mergeHeads(heads: readonly Head[]): Head {
  const slots = new Map<number, Slot>();
  const upstreams = new Map<number, UpstreamTimes>();
  for (const head of heads) {
    for (const [slot, counts] of head.slots) addSlot(slots, slot, counts);
    for (const [upstream, times] of head.upstreams) addTimes(upstreams, upstream, times);
  }
  const lists = (column: ColumnNumber): Uint8Array[] =>
    heads.map(({ counts }) => counts.get(column) ?? encodeCounts(nothing));
  return {
    counts: new Map(headColumns.map((column) => [column, merged(lists(column))])),
    listBlocks: merged(heads.map(({ listBlocks }) => listBlocks)),
    slots: new Map([...slots].toSorted(([a], [b]) => a - b)),
    upstreams,
  };
}

function mergeClients(sums: readonly ClientSums[]): ClientSums {
  return {
    totals: merged(sums.map(({ totals }) => totals)),
    blocked: merged(sums.map(({ blocked }) => blocked)),
    slots: mergeClientSlots(sums),
  };
}

export function mergeClientSlots(sums: readonly ClientSums[]): Map<number, Uint8Array> {
  const bySlot = new Map<number, Uint8Array[]>();
  for (const { slots } of sums)
    for (const [slot, counts] of slots) {
      const lists = bySlot.get(slot);
      if (lists === undefined) bySlot.set(slot, [counts]);
      else lists.push(counts);
    }
  const ascending = [...bySlot].toSorted(([a], [b]) => a - b);
  return new Map(ascending.map(([slot, lists]) => [slot, lists.length === 1 ? first(lists) : merged(lists)]));
}

function first(lists: readonly Uint8Array[]): Uint8Array {
  return lists[0] ?? encodeCounts(nothing);
}
