// Turns a caller's filter (texts with `*`, numbers) into conditions: a column and the set of numbers that it
// may have. Texts are looked up in the dictionaries once, so that rows are compared by number only.

import type { Budget } from './budget.ts';
import type { ClientLabels } from './client-labels.ts';
import type { Dictionary } from './dictionary.ts';
import { IdSet } from './id-set.ts';
import { Column, type ColumnNumber, type Rows } from './rows.ts';
import { StatusClass, statusesOf } from './statuses.ts';

export interface RowFilter {
  /** Texts, compared without regard to case; `*` matches any run of characters. */
  readonly domain?: string;
  readonly clientIp?: string;
  readonly clientName?: string;
  /** Matches the client's address or its name. */
  readonly client?: string;
  /** Also `blocklist`, `cache` and `permitted`, which stand for statuses. */
  readonly upstream?: string;
  /** Numbers: the row has one of these. */
  readonly types?: readonly number[];
  /** The row has none of these types. */
  readonly otherThanTypes?: readonly number[];
  readonly statuses?: readonly number[];
  readonly replies?: readonly number[];
  readonly dnssec?: readonly number[];
  readonly lists?: readonly number[];
  readonly rules?: readonly number[];
  /** Numbers of the clients' dictionary. */
  readonly clients?: readonly number[];
}

export interface Range {
  readonly fromMs: number;
  /** Exclusive. */
  readonly untilMs: number;
}

export const always: Range = { fromMs: -Infinity, untilMs: Infinity };

export interface Condition {
  readonly column: ColumnNumber;
  readonly set: IdSet;
}

export interface Dictionaries {
  readonly names: Dictionary;
  readonly clients: Dictionary;
  readonly labels: ClientLabels;
  readonly upstreams: Dictionary;
}

const byNumber = [
  ['types', Column.type],
  ['statuses', Column.status],
  ['replies', Column.reply],
  ['dnssec', Column.dnssec],
  ['lists', Column.list],
  ['rules', Column.rule],
  ['clients', Column.client],
] as const;

export function conditionsOf(filter: RowFilter, texts: Dictionaries, budget: Budget): Condition[] {
  const conditions: Condition[] = [];
  const add = (column: ColumnNumber, set: IdSet): void => void conditions.push({ column, set });
  const { domain, clientIp, clientName, client, upstream, otherThanTypes } = filter;
  for (const [key, column] of byNumber) if (filter[key] !== undefined) add(column, new IdSet(filter[key]));
  if (otherThanTypes !== undefined) add(Column.type, new IdSet(otherThanTypes, true));
  if (upstream !== undefined) conditions.push(upstreamCondition(upstream, texts.upstreams, budget));
  if (clientIp !== undefined) add(Column.client, fitting(texts.clients, clientIp, budget));
  if (clientName !== undefined) add(Column.client, new IdSet(texts.labels.idsLike(clientName)));
  if (client !== undefined) {
    const ids = [...texts.clients.idsLike(client, budget.mayGoOn), ...texts.labels.idsLike(client)];
    add(Column.client, new IdSet([...new Set(ids)]));
  }
  if (domain !== undefined) add(Column.name, fitting(texts.names, domain, budget));
  return conditions;
}

function fitting(dictionary: Dictionary, pattern: string, budget: Budget): IdSet {
  const isPlain = !pattern.includes('*');
  const plain = isPlain ? dictionary.idsOf(pattern.toLowerCase()) : [];
  return new IdSet(isPlain ? plain : dictionary.idsLike(pattern, budget.mayGoOn));
}

function upstreamCondition(text: string, upstreams: Dictionary, budget: Budget): Condition {
  const [wanted = ''] = text.toLowerCase().split(' ');
  const blocked = statusesOf(StatusClass.blocked);
  if (wanted === 'blocklist') return { column: Column.status, set: new IdSet(blocked) };
  if (wanted === 'permitted') return { column: Column.status, set: new IdSet(blocked, true) };
  if (wanted === 'cache') return { column: Column.status, set: new IdSet(statusesOf(StatusClass.cached)) };
  return { column: Column.upstream, set: fitting(upstreams, wanted, budget) };
}

/** Only rows with an id below `beforeId`. */
export interface Bounds extends Range {
  readonly beforeId: number;
}

/** The rows, ascending, that are within the bounds and meet every condition; undefined means all rows. */
export function selectRows(
  rows: Rows,
  length: number,
  bounds: Bounds,
  conditions: readonly Condition[],
): Uint32Array | undefined {
  const isWhole = rows.minMs >= bounds.fromMs && rows.maxMs < bounds.untilMs && rows.lastId < bounds.beforeId;
  if (isWhole && conditions.length === 0 && length === rows.length) return undefined;
  const found = new Uint32Array(length);
  const [first, ...others] = conditions;
  if (!isWhole || first === undefined) {
    const within = fillWithin(found, rows, isWhole ? unbounded : bounds);
    return narrowTo(found, within, rows, conditions);
  }
  const selected = first.set.select(found, length, rows.column(first.column));
  return narrowTo(found, selected, rows, others);
}

function narrowTo(
  found: Uint32Array,
  length: number,
  rows: Rows,
  conditions: readonly Condition[],
): Uint32Array {
  let count = length;
  for (const { column, set } of conditions)
    if (count > 0) count = set.narrow(found, count, rows.column(column));
  return found.subarray(0, count);
}

const unbounded: Bounds = { ...always, beforeId: Infinity };

function fillWithin(found: Uint32Array, rows: Rows, { fromMs, untilMs, beforeId }: Bounds): number {
  const times = rows.times();
  let count = 0;
  for (let row = 0; row < found.length && rows.idAt(row) < beforeId; row++) {
    const timeMs = times[row] ?? 0;
    if (timeMs >= fromMs && timeMs < untilMs) found[count++] = row;
  }
  return count;
}
