// Every metric of GET /metrics: name, kind, labels, meaning. Dashboards and alerts rely on these, so they
// belong to the contract; the text for Prometheus and docs/metrics.md are generated from this table. Labels
// are bounded: their values are words of this program, ids of lists, or upstreams, of which a limited number
// is distinguished. Names of domains and of clients are never labels.

/** `info`: always 1, only its labels matter. `summary`: a sum and a count, without quantiles. */
type MetricKind = 'counter' | 'gauge' | 'info' | 'summary';

export interface MetricFamily {
  readonly kind: MetricKind;
  readonly help: string;
  readonly labels: readonly string[];
}

function counter<const L extends readonly string[] = readonly []>(help: string, labels?: L) {
  return {
    kind: 'counter' as const,
    help,
    labels: labels ?? [],
  };
}

function gauge<const L extends readonly string[] = readonly []>(help: string, labels?: L) {
  return {
    kind: 'gauge' as const,
    help,
    labels: labels ?? [],
  };
}

function info<const L extends readonly string[]>(help: string, labels: L) {
  return {
    kind: 'info' as const,
    help,
    labels,
  };
}

function summary<const L extends readonly string[]>(help: string, labels: L) {
  return {
    kind: 'summary' as const,
    help,
    labels,
  };
}

/** Names of counters end in `_total`, those of infos in `_info`. */
export const metricFamilies = {
  sluice_build_info: info('What runs', ['version', 'node']),
  sluice_dns_answers_total: counter('Answered queries, by where the answer came from', ['origin']),
  sluice_dns_answers_by_verdict_total: counter('Answered queries, by verdict of the rules', ['verdict']),
  sluice_dns_answers_by_transport_total: counter('Answered queries, by transport', ['transport']),
  sluice_dns_answers_by_rcode_total: counter('Answered queries, by response code', ['rcode']),
  sluice_dns_refused_total: counter('Refused queries: of strangers, and above the rate limit', ['reason']),
  sluice_dns_expressions_unfinished_total: counter(
    'Names for which regular expressions took too many steps and were left unfinished',
  ),
  sluice_dns_unanswered_total: counter('Queries of strangers that got no answer (dns.strangers)'),
  sluice_dns_foreign_records_total: counter(
    'Records that did not belong to the question, dropped from replies that were otherwise used',
  ),
  sluice_dns_malformed_total: counter('Packets that could not be parsed'),
  sluice_dns_overloaded_total: counter(
    'Queries that were dropped because too many were waiting for an answer',
  ),
  sluice_dns_coalesced_total: counter('Queries that shared the answer to the same question in flight'),
  sluice_dns_refreshed_total: counter('Cached answers that were refreshed before or after they expired'),
  sluice_dns_records_dropped_total: counter(
    'Answered queries that are missing in the history, because it was too slow',
  ),
  sluice_cache_entries: gauge('Answers in the caches of all dns workers'),
  sluice_cache_bytes: gauge('Memory that the caches use'),
  sluice_cache_capacity_bytes: gauge('Memory that the caches may use'),
  sluice_cache_hits_total: counter('Answers from a cache, fresh or stale', ['freshness']),
  sluice_cache_insertions_total: counter('Answers that were put into a cache'),
  sluice_cache_evictions_total: counter('Answers that were removed to make room for others'),
  sluice_upstream_queries_total: counter('Queries to an upstream, including probes', ['upstream']),
  sluice_upstream_failures_total: counter('Broken connections, unreachable addresses and error replies', [
    'upstream',
  ]),
  sluice_upstream_timeouts_total: counter('Queries to an upstream without a reply in time', ['upstream']),
  sluice_upstream_response_seconds: summary('Time until the reply, where it is known', ['upstream']),
  sluice_upstream_up: gauge('Whether a dns worker considers it healthy; only for upstreams in use', [
    'upstream',
  ]),
  sluice_blocking_enabled: gauge('Whether anything is blocked'),
  sluice_list_names: gauge('Distinct names of all lists in force'),
  sluice_list_entries: gauge('Entries of a list', ['list']),
  sluice_list_last_update_timestamp_seconds: gauge('When the list was last fetched', ['list']),
  sluice_list_status: gauge(
    'Result of the last update: 1 downloaded, 2 unchanged, 3 failed with a copy, 4 failed',
    ['list'],
  ),
  sluice_list_info: info('Describes a list', ['list', 'type', 'name']),
  sluice_rules: gauge('Own rules that are enabled', ['type', 'kind']),
  sluice_degraded: gauge('Whether a part of the service is degraded or failing, as in /api/health', ['part']),
  sluice_thread_up: gauge('Whether a thread runs, or is not needed yet', ['thread']),
  sluice_thread_restarts_total: counter('How often a thread was replaced', ['thread']),
  sluice_database_up: gauge('Whether the database can be written'),
  sluice_database_bytes: gauge('Size of the database'),
  sluice_certificate_end_timestamp_seconds: gauge('When the HTTPS certificate expires'),
  sluice_http_requests_total: counter('Requests over HTTP, by the first digit of the status', ['status']),
  process_cpu_seconds_total: counter('CPU time of the whole process'),
  process_resident_memory_bytes: gauge('Resident memory of the whole process'),
  process_open_fds: gauge('Open descriptors'),
  process_max_fds: gauge('Limit of open descriptors'),
  process_start_time_seconds: gauge('When the process was started, in Unix seconds'),
} as const satisfies Readonly<Record<string, MetricFamily>>;

export type MetricName = keyof typeof metricFamilies;
