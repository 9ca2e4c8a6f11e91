// The samples of a service with many items and with none: labels stay bounded, list addresses reveal no
// secrets, and the dashboard in docs/ uses only existing metrics.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { readCounters } from '#engine/counters';
import { limits, metricFamilies } from '#contract';
import type { StoredList } from '#store/database/entities';
import { collect, type MetricSources } from './collect.ts';

function list(id: number, fields: Partial<StoredList> = {}): StoredList {
  return {
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
  };
}

function sources(change: Partial<MetricSources> = {}): MetricSources {
  return {
    version: '1',
    node: '26',
    startedMs: 5_000,
    dns: { ...readCounters([]), cached: 4, stale: 1, blockedByTarget: 3, overLimit: 2, unanswered: 3 },
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
  };
}

describe('collecting metrics', () => {
  test('without DNS, counts have samples and unknown figures have none', () => {
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

  test('above the limit of lists, those with the lowest ids have samples', () => {
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
    test(`a list ${comment === null ? 'without' : 'with'} a comment is named ${name.slice(0, 40)}`, () => {
      const { sluice_list_info: infos } = collect(sources({ lists: [list(1, { address, comment })] }));
      assert.deepEqual(infos[0]?.labels, ['1', 'block', name]);
    });
});

test('the dashboard queries only existing metrics, and more than half of them', () => {
  const dashboard = readFileSync(new URL('../../../docs/grafana-dashboard.json', import.meta.url), 'utf8');
  const expressions = [...dashboard.matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text ?? '');
  assert.ok(expressions.length > 10);
  const queried = new Set(expressions.join(' ').match(/\b(?:sluice|process)_[a-z_]+/g));
  const known = new Set(
    Object.entries(metricFamilies).flatMap(([name, { kind }]) =>
      kind === 'summary' ? [`${name}_sum`, `${name}_count`] : [name],
    ),
  );
  assert.deepEqual(
    [...queried].filter((name) => !known.has(name)),
    [],
  );
  assert.ok(queried.size > known.size / 2, `${queried.size} of ${known.size}`);
});
