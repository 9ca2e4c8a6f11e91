// The health checks of the service: each `watch` names a part and the source of its problem. Health, status,
// metrics, log, events and diagnosis messages all derive from them.

import { healthParts, type HealthPart } from '#contract';
import { steadyClockMs, wallClockMs } from '#platform/time';
import type { EventHub } from '#api/events';
import {
  CostlyExpressions,
  type Degradation,
  Degradations,
  DnsHealth,
  portProblems,
  ThreadHealth,
  unreadableCollections,
  upstreamProblem,
} from '#control/health';
import type { MessageType, Storage } from '#store/database';
import type { Api } from './api.ts';

type Watched = Pick<Api, 'dns' | 'log' | 'servers' | 'settings' | 'storage' | 'traces'> & {
  readonly threads: () => Api['threads'];
  readonly historyProblem: () => string | undefined;
  readonly events: EventHub;
};

const topic = 'health';

export function createHealth(watched: Watched): Degradations {
  const { dns, log, servers, settings, storage, traces, threads, historyProblem, events } = watched;
  const health = new Degradations({
    log,
    wallMs: wallClockMs,
    putMessage: (part, text) => void putMessage(storage, part, text),
    onChange: (all) => events.emit('health.changed', { status: healthWord(all), problems: all }),
  });
  const wanted = (): string => settings.current.dns.listen;
  const dnsHealth = new DnsHealth({
    wanted,
    threads,
    listening: () => servers.listening,
    steadyMs: steadyClockMs,
  });
  const historyThread = new ThreadHealth('history', threads, steadyClockMs);
  const compileProblem = watchCompilation(events);
  health.watch('dns', dnsHealth.find);
  health.watch('upstreams', () =>
    wanted() === '' ? undefined : upstreamProblem(dns.general, traces.figures()?.upstreams ?? []),
  );
  health.watch('rules', () =>
    unreadableCollections(storage.read, ['domains', 'groups', 'clients', 'pauses']),
  );
  const costly = new CostlyExpressions({
    figures: () => traces.figures()?.expressions,
    read: storage.read,
    steadyMs: steadyClockMs,
  });
  health.watch('rules', costly.find);
  health.watch('lists', () => unreadableCollections(storage.read, ['lists']));
  health.watch('lists', () => {
    const reason = compileProblem();
    return reason === undefined ? undefined : { reason, hasMessage: true };
  });
  health.watch('history', historyProblem);
  health.watch('history', historyThread.find);
  health.watch('database', () => databaseProblem(storage.trouble()));
  health.watch('database', () => storage.missingTables);
  health.watch('data', () => {
    const reason = storage.losses();
    return reason === undefined ? undefined : { reason, hasMessage: true };
  });
  health.watch('data', () => storage.lossDetectionProblem());
  health.watch('web', () => webProblem(servers.listening));
  void clearOldMessages(storage);
  return health;
}

/** The worst state of all parts. */
export function healthWord(all: readonly Degradation[]): 'ok' | 'degraded' | 'failing' {
  if (all.some(({ isFailing }) => isFailing === true)) return 'failing';
  return all.length === 0 ? 'ok' : 'degraded';
}

/** Why the last compilation of lists failed; the lists from before stay in force. */
function watchCompilation(events: EventHub): () => string | undefined {
  let problem: string | undefined;
  events.subscribe((event) => {
    if (event.name === 'lists.compiled') ({ problem } = event.data);
  });
  return () => problem;
}

function databaseProblem(trouble: string | undefined): string | undefined {
  return trouble === undefined
    ? undefined
    : `Changes are not stored: ${trouble}. Make room on the disk, or let the service write to the data ` +
        'folder. The service retries.';
}

function webProblem(listening: Api['servers']['listening']): string | undefined {
  const problems = ['web.http', 'web.https'].flatMap((setting) => portProblems(listening, setting));
  return problems.length === 0 ? undefined : problems.join(' ');
}

const messageTypes: Partial<Record<HealthPart, MessageType>> = {
  data: 'DISK',
  database: 'DISK',
  history: 'DISK',
  lists: 'LIST',
};

/** A message that cannot be stored is dropped; the log has the reason in any case. */
async function putMessage({ messages }: Storage, part: HealthPart, text: string | undefined): Promise<void> {
  const done =
    text === undefined
      ? messages.clear(topic, part)
      : messages.put(topic, part, messageTypes[part] ?? 'SERVICE', text);
  await done.catch(() => undefined);
}

/** Messages of a terminated thread are obsolete: the checks find a problem again if it persists. */
async function clearOldMessages({ messages }: Storage): Promise<void> {
  await messages.keepOnly(topic, []).catch(() => undefined);
}

/** Problems as API replies show them; without a credential only the general sentence about the part. */
export function shownProblems(all: readonly Degradation[], mayKnow: boolean) {
  return all.map(({ part, reason, sinceMs }) => ({
    part,
    reason: mayKnow ? reason : healthParts[part],
    since: Math.floor(sinceMs / 1000),
  }));
}
