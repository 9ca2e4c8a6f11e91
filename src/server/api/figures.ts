// What the service tells of itself in numbers and lines, wired: the metrics, the machine, the logs.

import { steadyClockMs, wallClockMs } from '../clock.ts';
import { readTicks } from '../hardware/system.ts';
import { createLogHandlers } from '../handlers/logs.ts';
import { createMachineHandlers } from '../handlers/machine.ts';
import { createPrometheusHandlers } from '../handlers/prometheus.ts';
import { ShownLogs } from '../log/shown-logs.ts';
import type { MetricSources } from '../metrics/collect.ts';
import { LoadMeter } from '../metrics/load-meter.ts';
import { readProcessFigures } from '../metrics/process-figures.ts';
import type { ApiThreadData } from '../threads/messages.ts';
import type { Api } from './api.ts';
import type { Channel } from './channel.ts';

export const createFigureHandlers = (data: ApiThreadData, channel: Channel, api: Api) => {
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
      lastQueriesMs: async () => (await api.seen()).map(({ lastQueryMs }) => lastQueryMs),
      privacyLevel: () => api.settings.current.misc.privacylevel,
      residentBytes: () => process.memoryUsage.rss(),
      startedMs: data.startedMs,
      wallMs: wallClockMs,
    }),
    ...createLogHandlers(new ShownLogs(data.logs)),
  };
};

const createLoadMeter = ({ traces }: Api): LoadMeter =>
  new LoadMeter(() => {
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

const metricSources = (data: ApiThreadData, api: Api): MetricSources => {
  const { storage, traces } = api;
  return {
    version: data.version,
    node: process.versions.node,
    startedMs: data.startedMs,
    dns: traces.sums(),
    figures: traces.figures(),
    droppedRecords: traces.dropped(),
    isBlocking: api.blocking.state().blocking,
    lists: storage.read.lists.filter(() => true),
    domains: storage.read.domains.filter(() => true),
    threads: api.threads,
    database: { isUp: storage.trouble() === undefined, sizeBytes: storage.sizeBytes() },
    certificateEndMs: api.tls.current?.notAfterMs,
    requests: api.requests.byClass,
    process: readProcessFigures(),
  };
};
