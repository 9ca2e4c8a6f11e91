// What the metrics say when there is much and when there is nothing: labels stay bounded, addresses of lists
// give no secrets away, and every name in the dashboard of docs/ is one that there is.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { limits, metricFamilies } from '#contract';
import type { StoredList } from '#store/database/entities';
import { collect, type MetricSources } from './collect.ts';

const list = (id: number, fields: Partial<StoredList> = {}): StoredList => ({
  id,
  address: `https://lists.example/${id}`,
  type: 'block',
  added_with: 'sudo',
  comment: null,
  enabled: true,
  groups: [0],
  group_expiry: {},
  date_added: 1,
  date_modified: 1,
  date_updated: 1000 + id,
  number: 10 * id,
  invalid_domains: 0,
  abp_entries: 0,
  status: 1,
  held: false,
  ...fields,
});

const sources = (change: Partial<MetricSources> = {}): MetricSources => ({
  version: '1',
  node: '26',
  startedMs: 5_000,
  dns: {
    queries: 0,
    forwarded: 0,
    cached: 4,
    stale: 1,
    local: 0,
    special: 0,
    blocked: 0,
    blockedByTarget: 3,
    upstreamBlocked: 0,
    failed: 0,
    strangers: 0,
    overLimit: 2,
    unanswered: 3,
    foreignRecords: 0,
    malformed: 0,
    overloaded: 0,
    coalesced: 0,
    refreshed: 0,
  },
  figures: undefined,
  droppedRecords: 7,
  isBlocking: false,
  lists: [],
  domains: [],
  threads: [{ name: 'api', state: 'waiting', restarts: 2, lastFailure: undefined }],
  degraded: new Set(),
  database: { isUp: true, sizeBytes: 4096 },
  certificateEndMs: undefined,
  requests: [['2xx', 3]],
  process: { cpuSeconds: 1.5, residentBytes: 1, openFds: undefined, maxFds: undefined },
  ...change,
});

describe('collecting metrics', () => {
  test('without DNS: counts are there, what is not known is not', () => {
    const made = collect(sources());
    const value = (name: keyof typeof made, ...labels: readonly string[]): number | undefined =>
      made[name].find((sample) => sample.labels.join() === labels.join())?.value;
    assert.equal(value('sluice_dns_answers_total', 'blocked_by_target'), 3);
    assert.equal(value('sluice_cache_hits_total', 'stale'), 1);
    assert.equal(value('sluice_dns_refused_total', 'rate_limit'), 2);
    assert.equal(value('sluice_dns_records_dropped_total'), 7);
    assert.equal(value('sluice_blocking_enabled'), 0);
    assert.deepEqual(
      [value('sluice_thread_up', 'api'), value('sluice_thread_restarts_total', 'api')],
      [0, 2],
    );
    assert.equal(value('process_start_time_seconds'), 5);
    for (const name of ['sluice_cache_entries', 'sluice_list_names', 'process_open_fds'] as const)
      assert.deepEqual(made[name], []);
  });

  test('every sample has as many labels as its family', () => {
    const made = collect(sources({ lists: [list(1)] }));
    for (const [name, { labels }] of Object.entries(metricFamilies))
      for (const sample of new Map(Object.entries(made)).get(name) ?? [])
        assert.equal(sample.labels.length, labels.length, name);
  });

  test('lists: so many and no more, the oldest', () => {
    const lists = Array.from({ length: limits.metricsLists + 5 }, (_, at) => list(1000 - at));
    const { sluice_list_entries: entries } = collect(sources({ lists }));
    assert.equal(entries.length, limits.metricsLists);
    assert.deepEqual(entries[0], { labels: [String(1000 - limits.metricsLists - 4)], value: 7960 });
  });

  for (const [address, comment, name] of [
    ['https://me:secret@lists.example/a?key=secret#x', null, 'https://lists.example/a'],
    ['https://lists.example/a', 'Mine', 'Mine'],
    [`https://lists.example/${'a'.repeat(200)}`, null, `https://lists.example/${'a'.repeat(78)}`],
  ] as const)
    test(`a list is called ${name.slice(0, 40)}`, () => {
      const { sluice_list_info: infos } = collect(sources({ lists: [list(1, { address, comment })] }));
      assert.deepEqual(infos[0]?.labels, ['1', 'block', name]);
    });
});

test('the dashboard asks for metrics that there are, and shows most of them', () => {
  const dashboard = readFileSync(new URL('../../../docs/grafana-dashboard.json', import.meta.url), 'utf8');
  const expressions = [...dashboard.matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text ?? '');
  assert.ok(expressions.length > 10);
  const asked = new Set(expressions.join(' ').match(/\b(?:sluice|process)_[a-z_]+/g));
  const known = new Set(
    Object.entries(metricFamilies).flatMap(([name, { kind }]) =>
      kind === 'summary' ? [`${name}_sum`, `${name}_count`] : [name],
    ),
  );
  assert.deepEqual(
    [...asked].filter((name) => !known.has(name)),
    [],
  );
  assert.ok(asked.size > known.size / 2, `${asked.size} of ${known.size}`);
});
