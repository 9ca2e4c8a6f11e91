// What the workers have counted, summed up for display: answers by verdict, transport and response code, the
// caches, the upstreams. Everything but the size of the lists is the sum of all workers.

import type { CostlyRule } from '#policy';
import { readCensus, type TypeCount } from './census-table.ts';
import {
  censusAtBytes,
  costlyRuleCount,
  publishedAt,
  publishedNames,
  rcodeNames,
  rcodesAt,
  transportNames,
  transportsAt,
  upstreamsAtBytes,
  verdictNames,
  verdictsAt,
} from './counters.ts';
import { parseUpstream } from '../upstream/parse-upstream.ts';
import {
  otherUpstreams,
  readUpstreamNumbers,
  readUpstreams,
  upstreamRows,
  type UpstreamRow,
} from './upstream-table.ts';

type Labelled = readonly (readonly [label: string, count: number])[];

export interface DnsFigures {
  readonly verdicts: Labelled;
  readonly transports: Labelled;
  readonly rcodes: Labelled;
  readonly cache: {
    readonly entries: number;
    readonly bytes: number;
    readonly capacityBytes: number;
    /** The most entries that there can be, if they are small. */
    readonly room: number;
    readonly inserted: number;
    readonly evicted: number;
    /** What was in it when it was counted last. */
    readonly content: readonly TypeCount[];
  };
  /** Names of all lists, as each worker has them. */
  readonly listNames: number;
  readonly upstreams: readonly UpstreamRow[];
  readonly expressions: {
    /** Names for which some were left unfinished. */
    readonly unfinished: number;
    /** The rules that took the most steps then. */
    readonly costly: readonly CostlyRule[];
  };
}

export function readFigures(memories: readonly SharedArrayBuffer[]): DnsFigures {
  const views = memories.map((memory) => new Float64Array(memory, 0, upstreamsAtBytes / 8));
  const sum = (place: number): number => views.reduce((total, view) => total + (view[place] ?? 0), 0);
  const labelled = (names: readonly string[], at: number): Labelled =>
    names.map((name, index) => [name, sum(at + index)] as const);
  const published = (name: (typeof publishedNames)[number]): number =>
    publishedAt + publishedNames.indexOf(name);
  return {
    verdicts: labelled(verdictNames, verdictsAt),
    transports: labelled(transportNames, transportsAt),
    rcodes: labelled(rcodeNames, rcodesAt),
    cache: {
      entries: sum(published('cacheEntries')),
      bytes: sum(published('cacheBytes')),
      capacityBytes: sum(published('cacheCapacityBytes')),
      room: sum(published('cacheRoom')),
      inserted: sum(published('cacheInserted')),
      evicted: sum(published('cacheEvicted')),
      content: readCensus(memories, censusAtBytes),
    },
    listNames: Math.max(0, ...views.map((view) => view[published('listNames')] ?? 0)),
    expressions: { unfinished: sum(published('unfinishedNames')), costly: costlyRules(views) },
    upstreams: together(memories.flatMap((memory) => readUpstreams(memory, upstreamsAtBytes))),
  };
}

/** Of all workers, each once. */
function costlyRules(views: readonly Float64Array[]): readonly CostlyRule[] {
  const first = publishedAt + publishedNames.indexOf('costlyList1');
  const found = new Map<string, CostlyRule>();
  for (const view of views)
    for (let at = first; at < first + 3 * costlyRuleCount; at += 3) {
      const [listId = 0, ruleId = 0, line = 0] = view.subarray(at, at + 3);
      if (listId > 0 || ruleId > 0) found.set(`${listId} ${ruleId} ${line}`, { listId, ruleId, line });
    }
  return [...found.values()].slice(0, costlyRuleCount);
}

/** By the numbers in records of one worker: `address#port`, and secure ones as they were set. */
export function readUpstreamNames(memory: SharedArrayBuffer): readonly string[] {
  return readUpstreamNumbers(memory, upstreamsAtBytes).map((text) => {
    const parsed = parseUpstream(text);
    return parsed === undefined || parsed.isSecure ? text : `${parsed.host}#${parsed.port}`;
  });
}

/** One row for each upstream, and no more of them than one worker can have. */
function together(rows: readonly UpstreamRow[]): readonly UpstreamRow[] {
  const found = new Map<string, UpstreamRow>();
  for (const row of rows) {
    const text = found.has(row.text) || found.size < upstreamRows - 1 ? row.text : otherUpstreams;
    const before = found.get(text);
    found.set(text, before === undefined ? { ...row, text } : added(before, row));
  }
  return [...found.values()];
}

function added(one: UpstreamRow, other: UpstreamRow): UpstreamRow {
  return {
    text: one.text,
    queries: one.queries + other.queries,
    failures: one.failures + other.failures,
    timeouts: one.timeouts + other.timeouts,
    measured: one.measured + other.measured,
    measuredMs: one.measuredMs + other.measuredMs,
    // An upstream that answers one worker is up.
    isUp:
      one.isUp === undefined || other.isUp === undefined ? (one.isUp ?? other.isUp) : one.isUp || other.isUp,
    repliedMs: Math.max(one.repliedMs, other.repliedMs),
    failedMs: Math.max(one.failedMs, other.failedMs),
  };
}
