// The status of the service, as `GET /api/status` and `sluice status` show it. It collects the values from
// all parts of the api thread.

import { statSync } from 'node:fs';
import { newestCopyPath } from '#store/database/maintenance';
import type { ApiThreadData } from '../messages/messages.ts';
import type { Listening } from '#platform/sockets';
import type { ServiceStatus } from '#api/handlers';
import type { CounterSums } from '#engine/counters';
import type { Degradation } from '#control/health';
import type { Api } from './api.ts';
import { healthWord, shownProblems } from './health.ts';
import type { CertificatePublisher } from './certificate-publisher.ts';

export function serviceStatus(data: ApiThreadData, api: Api, urls: string[]): ServiceStatus {
  return {
    state: api.phase === 'open' ? 'running' : 'stopping',
    ...healthRows(api.health.now()),
    version: data.version,
    node: process.versions.node,
    pid: process.pid,
    started: Math.round(data.startedMs / 1000),
    data_folder: data.dataDir,
    urls,
    threads: api.threads.map(({ name, state, restarts, lastFailure }) => ({
      name,
      state,
      restarts,
      last_failure: lastFailure ?? null,
    })),
    listeners: listenerRows(api.servers.listening),
    database: {
      state: api.storage.trouble() === undefined ? 'ok' : 'away',
      size: api.storage.sizeBytes(),
      newest_copy: newestCopy(data.dataDir),
    },
    certificate: certificate(api.tls),
    dns: dnsRow(api.traces.sums()),
  };
}

function healthRows(all: readonly Degradation[]): Pick<ServiceStatus, 'health' | 'degraded'> {
  return {
    health: healthWord(all),
    degraded: shownProblems(all, true),
  };
}

function dnsRow({
  queries,
  cached,
  stale,
  forwarded,
  local,
  special,
  ...more
}: CounterSums): ServiceStatus['dns'] {
  return {
    queries,
    cached: cached + stale,
    forwarded: forwarded + more.upstreamBlocked,
    local: local + special,
    blocked: more.blocked + more.blockedByTarget,
    failed: more.failed,
    refused: more.strangers + more.overLimit,
    malformed: more.malformed,
  };
}

function listenerRows({ open, closed, dns }: Listening): ServiceStatus['listeners'] {
  return [
    ...open.map(({ setting, listener }) => ({
      setting,
      address: listener.address,
      port: listener.port,
      problem: null,
    })),
    ...dns.map(({ address, port, isAnswered }) => ({
      setting: 'dns.listen',
      address,
      port,
      problem: isAnswered ? null : 'It is open, but no dns worker reads from it.',
    })),
    ...closed.map(({ setting, address, port, problem }) => ({ setting, address, port, problem })),
  ];
}

function newestCopy(dataDir: string): number | null {
  const path = newestCopyPath(dataDir);
  return path === undefined ? null : Math.round(statSync(path).mtimeMs / 1000);
}

function certificate(tls: CertificatePublisher): ServiceStatus['certificate'] {
  const { current } = tls;
  if (current === undefined) return null;
  return {
    source: current.source,
    names: [...current.names],
    valid_until: Math.round(current.notAfterMs / 1000),
    fingerprint: current.fingerprint256,
  };
}
