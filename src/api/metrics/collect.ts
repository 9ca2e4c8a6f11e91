// Builds the samples of all metrics from data that the api thread already has. It queries no other thread and
// waits for nothing: the counters of the dns workers are in shared memory.

import type { DnsFigures } from '#engine';
import { healthParts, limits, type MetricName } from '#contract';
import { originNames, type CounterSums } from '#engine/counters';
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
  readonly dns: CounterSums;
  /** Undefined while DNS is off. */
  readonly figures: DnsFigures | undefined;
  readonly droppedRecords: number;
  readonly isBlocking: boolean;
  readonly lists: readonly StoredList[];
  readonly domains: readonly StoredDomain[];
  /** All threads, including those not started yet, so that no series appears later. */
  readonly threads: readonly ThreadStatus[];
  readonly degraded: ReadonlySet<string>;
  readonly database: { readonly isUp: boolean; readonly sizeBytes: number };
  readonly certificateEndMs: number | undefined;
  readonly requests: RequestCounts['byClass'];
  readonly process: ProcessFigures;
}

/** Every metric has an entry; a metric without samples is left out of the text. */
export type Samples = Readonly<Record<MetricName, readonly Sample[]>>;

export function collect(sources: MetricSources): Samples {
  return {
    sluice_build_info: [{ labels: [sources.version, sources.node], value: 1 }],
    ...answerSamples(sources),
    ...cacheSamples(sources),
    ...upstreamSamples(sources.figures?.upstreams ?? []),
    sluice_blocking_enabled: booleanSample(sources.isBlocking),
    sluice_list_names: sources.figures === undefined ? [] : single(sources.figures.listNames),
    ...listSamples(sources.lists),
    sluice_rules: ruleSamples(sources.domains),
    sluice_degraded: Object.keys(healthParts).map((part) =>
      labelled(part, sources.degraded.has(part) ? 1 : 0),
    ),
    sluice_thread_up: sources.threads.map(({ name, state }) => labelled(name, isRunning(state) ? 1 : 0)),
    sluice_thread_restarts_total: sources.threads.map(({ name, restarts }) => labelled(name, restarts)),
    sluice_database_up: booleanSample(sources.database.isUp),
    sluice_database_bytes: single(sources.database.sizeBytes),
    sluice_certificate_end_timestamp_seconds: singleIfKnown(
      sources.certificateEndMs === undefined ? undefined : sources.certificateEndMs / 1000,
    ),
    sluice_http_requests_total: sources.requests.map(([status, count]) => labelled(status, count)),
    ...processSamples(sources),
  };
}

/** An idle thread is up: it must not raise an alarm. */
function isRunning(state: ThreadStatus['state']): boolean {
  return state === 'running' || state === 'idle';
}
function single(value: number): readonly Sample[] {
  return [{ labels: [], value }];
}
function booleanSample(is: boolean): readonly Sample[] {
  return single(is ? 1 : 0);
}
function singleIfKnown(value: number | undefined): readonly Sample[] {
  return value === undefined ? [] : single(value);
}
function labelled(label: string, value: number): Sample {
  return { labels: [label], value };
}

/** Labels are in snake case. */
function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function answerSamples({ dns, figures, droppedRecords }: MetricSources) {
  const all = (parts: DnsFigures['verdicts'] | undefined): readonly Sample[] =>
    (parts ?? []).map(([label, count]) => labelled(label, count));
  return {
    sluice_dns_answers_total: originNames.map((origin) => labelled(snake(origin), dns[origin])),
    sluice_dns_answers_by_verdict_total: all(figures?.verdicts),
    sluice_dns_answers_by_transport_total: all(figures?.transports),
    sluice_dns_answers_by_rcode_total: all(figures?.rcodes),
    sluice_dns_refused_total: [labelled('stranger', dns.strangers), labelled('rate_limit', dns.overLimit)],
    sluice_dns_expressions_unfinished_total: singleIfKnown(figures?.expressions.unfinished),
    sluice_dns_unanswered_total: single(dns.unanswered),
    sluice_dns_foreign_records_total: single(dns.foreignRecords),
    sluice_dns_malformed_total: single(dns.malformed),
    sluice_dns_overloaded_total: single(dns.overloaded),
    sluice_dns_coalesced_total: single(dns.coalesced),
    sluice_dns_refreshed_total: single(dns.refreshed),
    sluice_dns_records_dropped_total: single(droppedRecords),
  };
}

function cacheSamples({ dns, figures }: MetricSources) {
  return {
    sluice_cache_entries: singleIfKnown(figures?.cache.entries),
    sluice_cache_bytes: singleIfKnown(figures?.cache.bytes),
    sluice_cache_capacity_bytes: singleIfKnown(figures?.cache.capacityBytes),
    sluice_cache_hits_total: [labelled('fresh', dns.cached), labelled('stale', dns.stale)],
    sluice_cache_insertions_total: singleIfKnown(figures?.cache.inserted),
    sluice_cache_evictions_total: singleIfKnown(figures?.cache.evicted),
  };
}

function upstreamSamples(upstreams: DnsFigures['upstreams']) {
  return {
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
  };
}

function listSamples(all: readonly StoredList[]) {
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
}

const maxNameLength = 100;

/** Addresses may contain secrets in user, query or fragment; these parts are left out. */
function listName({ comment, address }: StoredList): string {
  return (comment ?? withoutSecrets(address)).slice(0, maxNameLength);
}

function ruleSamples(domains: readonly StoredDomain[]): readonly Sample[] {
  return (['allow', 'deny'] as const).flatMap((type) =>
    (['exact', 'regex'] as const).map((kind) => ({
      labels: [type, kind],
      value: domains.filter((rule) => rule.type === type && rule.kind === kind && rule.enabled).length,
    })),
  );
}

function processSamples({ process, startedMs }: MetricSources) {
  return {
    process_cpu_seconds_total: single(process.cpuSeconds),
    process_resident_memory_bytes: single(process.residentBytes),
    process_open_fds: singleIfKnown(process.openFds),
    process_max_fds: singleIfKnown(process.maxFds),
    process_start_time_seconds: single(startedMs / 1000),
  };
}
