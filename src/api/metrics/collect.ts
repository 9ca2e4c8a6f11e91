// Gathers what the metrics say, from what the api thread knows anyway. It asks nobody and waits for nothing:
// what the dns workers count lies in shared memory.

import type { DnsFigures } from '#engine';
import { healthParts, limits, type MetricName } from '#contract';
import type { DnsSums } from '#control/plan';
import { withoutSecrets } from '#lists';
import type { StoredDomain, StoredList } from '#store/database/entities';
import type { ThreadStatus } from '#platform/threads';
import type { Sample } from './exposition.ts';
import type { ProcessFigures } from './process-figures.ts';
import type { RequestCounts } from './request-counts.ts';

export interface MetricSources {
  readonly version: string;
  readonly node: string;
  readonly startedMs: number;
  readonly dns: DnsSums;
  /** Nothing while DNS is off. */
  readonly figures: DnsFigures | undefined;
  readonly droppedRecords: number;
  readonly isBlocking: boolean;
  readonly lists: readonly StoredList[];
  readonly domains: readonly StoredDomain[];
  /** All that there are, also those that are not started yet, so that no series comes later. */
  readonly threads: readonly ThreadStatus[];
  readonly degraded: ReadonlySet<string>;
  readonly database: { readonly isUp: boolean; readonly sizeBytes: number };
  readonly certificateEndMs: number | undefined;
  readonly requests: RequestCounts['byClass'];
  readonly process: ProcessFigures;
}

/** Every metric has its place; one without samples is left out of the text. */
export type Samples = Readonly<Record<MetricName, readonly Sample[]>>;

export const collect = (sources: MetricSources): Samples => ({
  sluice_build_info: [{ labels: [sources.version, sources.node], value: 1 }],
  ...answerSamples(sources),
  ...cacheSamples(sources),
  ...upstreamSamples(sources.figures?.upstreams ?? []),
  sluice_blocking_enabled: yesNo(sources.isBlocking),
  sluice_list_names: sources.figures === undefined ? [] : one(sources.figures.listNames),
  ...listSamples(sources.lists),
  sluice_rules: ruleSamples(sources.domains),
  sluice_degraded: Object.keys(healthParts).map((part) => labelled(part, sources.degraded.has(part) ? 1 : 0)),
  sluice_thread_up: sources.threads.map(({ name, state }) => labelled(name, isFine(state) ? 1 : 0)),
  sluice_thread_restarts_total: sources.threads.map(({ name, restarts }) => labelled(name, restarts)),
  sluice_database_up: yesNo(sources.database.isUp),
  sluice_database_bytes: one(sources.database.sizeBytes),
  sluice_certificate_end_timestamp_seconds: oneIfKnown(
    sources.certificateEndMs === undefined ? undefined : sources.certificateEndMs / 1000,
  ),
  sluice_http_requests_total: sources.requests.map(([status, count]) => labelled(status, count)),
  ...processSamples(sources),
});

/** A thread that has nothing to do yet is no reason for an alarm. */
const isFine = (state: ThreadStatus['state']): boolean => state === 'running' || state === 'idle';
const one = (value: number): readonly Sample[] => [{ labels: [], value }];
const yesNo = (is: boolean): readonly Sample[] => one(is ? 1 : 0);
const oneIfKnown = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : one(value));
const labelled = (label: string, value: number): Sample => ({ labels: [label], value });

/** The origins in the words of the records. */
const origins = [
  'forwarded',
  'cached',
  'stale',
  'local',
  'special',
  'blocked',
  'blockedByTarget',
  'upstreamBlocked',
  'failed',
] as const satisfies readonly (keyof DnsSums)[];

/** Labels are written with low lines. */
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const answerSamples = ({ dns, figures, droppedRecords }: MetricSources) => {
  const all = (parts: DnsFigures['verdicts'] | undefined): readonly Sample[] =>
    (parts ?? []).map(([label, count]) => labelled(label, count));
  return {
    sluice_dns_answers_total: origins.map((origin) => labelled(snake(origin), dns[origin])),
    sluice_dns_answers_by_verdict_total: all(figures?.verdicts),
    sluice_dns_answers_by_transport_total: all(figures?.transports),
    sluice_dns_answers_by_rcode_total: all(figures?.rcodes),
    sluice_dns_refused_total: [labelled('stranger', dns.strangers), labelled('rate_limit', dns.overLimit)],
    sluice_dns_expressions_unfinished_total: oneIfKnown(figures?.expressions.unfinished),
    sluice_dns_unanswered_total: one(dns.unanswered),
    sluice_dns_foreign_records_total: one(dns.foreignRecords),
    sluice_dns_malformed_total: one(dns.malformed),
    sluice_dns_overloaded_total: one(dns.overloaded),
    sluice_dns_coalesced_total: one(dns.coalesced),
    sluice_dns_refreshed_total: one(dns.refreshed),
    sluice_dns_records_dropped_total: one(droppedRecords),
  };
};

const cacheSamples = ({ dns, figures }: MetricSources) => ({
  sluice_cache_entries: oneIfKnown(figures?.cache.entries),
  sluice_cache_bytes: oneIfKnown(figures?.cache.bytes),
  sluice_cache_capacity_bytes: oneIfKnown(figures?.cache.capacityBytes),
  sluice_cache_hits_total: [labelled('fresh', dns.cached), labelled('stale', dns.stale)],
  sluice_cache_insertions_total: oneIfKnown(figures?.cache.inserted),
  sluice_cache_evictions_total: oneIfKnown(figures?.cache.evicted),
});

const upstreamSamples = (upstreams: DnsFigures['upstreams']) => ({
  sluice_upstream_queries_total: upstreams.map(({ text, queries }) => labelled(text, queries)),
  sluice_upstream_failures_total: upstreams.map(({ text, failures }) => labelled(text, failures)),
  sluice_upstream_timeouts_total: upstreams.map(({ text, timeouts }) => labelled(text, timeouts)),
  sluice_upstream_response_seconds: upstreams.map(({ text, measured, measuredMs }) => ({
    labels: [text],
    value: measuredMs / 1000,
    count: measured,
  })),
  sluice_upstream_up: upstreams
    .filter(({ isUp }) => isUp !== undefined)
    .map(({ text, isUp }) => labelled(text, isUp === true ? 1 : 0)),
});

const listSamples = (all: readonly StoredList[]) => {
  const lists = all.toSorted((a, b) => a.id - b.id).slice(0, limits.metricsLists);
  const each = (value: (list: StoredList) => number): readonly Sample[] =>
    lists.map((list) => labelled(String(list.id), value(list)));
  return {
    sluice_list_entries: each(({ number }) => number),
    sluice_list_last_update_timestamp_seconds: each(({ date_updated }) => date_updated),
    sluice_list_status: each(({ status }) => status),
    sluice_list_info: lists.map((list) => ({
      labels: [String(list.id), list.type, listName(list)],
      value: 1,
    })),
  };
};

const nameLengthMax = 100;

/** Addresses may carry secrets as user, query or fragment; those are left out. */
const listName = ({ comment, address }: StoredList): string =>
  (comment ?? withoutSecrets(address)).slice(0, nameLengthMax);

const ruleSamples = (domains: readonly StoredDomain[]): readonly Sample[] =>
  (['allow', 'deny'] as const).flatMap((type) =>
    (['exact', 'regex'] as const).map((kind) => ({
      labels: [type, kind],
      value: domains.filter((rule) => rule.type === type && rule.kind === kind && rule.enabled).length,
    })),
  );

const processSamples = ({ process, startedMs }: MetricSources) => ({
  process_cpu_seconds_total: one(process.cpuSeconds),
  process_resident_memory_bytes: one(process.residentBytes),
  process_open_fds: oneIfKnown(process.openFds),
  process_max_fds: oneIfKnown(process.maxFds),
  process_start_time_seconds: one(startedMs / 1000),
});
