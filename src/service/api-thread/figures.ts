// The handlers of metrics, machine figures and logs, with their data sources.

import { steadyClockMs, wallClockMs } from '#platform/time';
import { lastDay } from '#history/segments';
import { readTicks } from '#platform/hardware';
import { createLogHandlers, createMachineHandlers, createPrometheusHandlers } from '#api/handlers';
import { ShownLogs } from '#platform/log';
import { LoadMeter, type MetricSources, readProcessFigures } from '#api/metrics';
import type { ApiThreadData } from '../messages/messages.ts';
import type { Api } from './api.ts';
import type { Channel } from './channel.ts';

export function createFigureHandlers(data: ApiThreadData, channel: Channel, api: Api) {
  const load = createLoadMeter(api);
  load.start();
  return {
    ...createPrometheusHandlers({
      settings: () => api.settings.current.metrics,
      sources: () => metricSources(data, api),
    }),
    ...createMachineHandlers({
      read: api.storage.read,
      load,
      dns: () => ({ sums: api.traces.sums(), figures: api.traces.figures() }),
      countCaches: channel.countDns,
      clients: () => countedClients(api),
      privacyLevel: () => api.settings.current.misc.privacylevel,
      residentBytes: () => process.memoryUsage.rss(),
      startedMs: data.startedMs,
      wallMs: wallClockMs,
    }),
    ...createLogHandlers(new ShownLogs(data.logs)),
  };
}

const maxClientsMs = 1_000;

/** The counts of /api/stats/summary; zero while the history is unavailable. */
async function countedClients({ history }: Api) {
  const question = { ...lastDay(wallClockMs()), filter: {}, isLive: true } as const;
  const answer = await history.query('summary', question, { limitMs: maxClientsMs });
  return answer.ok
    ? { total: answer.value.clientsTotal, active: answer.value.activeClients }
    : { total: 0, active: 0 };
}

function createLoadMeter({ traces }: Api): LoadMeter {
  return new LoadMeter(() => {
    const { user, system } = process.cpuUsage();
    const { total, idle } = readTicks();
    return {
      atMs: steadyClockMs(),
      queries: traces.sums().queries,
      cpuSeconds: (user + system) / 1_000_000,
      totalTicks: total,
      idleTicks: idle,
    };
  });
}

function metricSources(data: ApiThreadData, api: Api): MetricSources {
  const { storage, traces } = api;
  return {
    version: data.version,
    node: process.versions.node,
    startedMs: data.startedMs,
    dns: traces.sums(),
    figures: traces.figures(),
    droppedRecords: traces.dropped(),
    isBlocking: api.dns.isBlocking,
    lists: storage.read.lists.filter(() => true),
    domains: storage.read.domains.filter(() => true),
    threads: api.threads,
    degraded: new Set(api.health.now().map(({ part }) => part)),
    database: { isUp: storage.trouble() === undefined, sizeBytes: storage.sizeBytes() },
    certificateEndMs: api.tls.current?.notAfterMs,
    requests: api.requests.byClass,
    process: readProcessFigures(),
  };
}
