// The api thread: everything about HTTP, entities and settings, wired together here and nowhere else. It may
// die at any moment; the supervisor holds the sockets and starts it again, and it finds all it needs on the
// disk.

import { flushCompileCache } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { sharedClockMs, steadyClockMs, wallClockMs } from '#platform/time';
import { Authenticator } from '#api/auth';
import { askOwnDns, ClientNamer, DeviceDirectory } from '#control/clients';
import { openLinks, readMachine } from '#platform/neighbours';
import {
  apiUrls,
  PlanPublisher,
  DnsTraceReader,
  makePolicyPlan,
  nextEndSeconds,
  writePlan,
} from '#control/plan';
import { EventHub } from '#api/events';
import { HistoryClient, type SituationName } from '#history/thread';
import { createLog, type Log, ShownLogs } from '#platform/log';
import { RequestCounts } from '#api/metrics';
import { BlockingSwitch, nextPauseEndSeconds, nextScheduleChange, Pauses } from '#control/blocking';
import { LiveSettings } from '#store/settings';
import { loadLibc, readInterfaces } from '#platform/sockets';
import { markSuspect, openStorage, type Storage } from '#store/database';
import type { ApiThreadData } from '../messages/messages.ts';
import { markLoadsIn } from '#platform/threads';
import type { Api } from './api.ts';
import { createChannel, type Channel } from './channel.ts';
import { checkpointInThread } from './checkpoint-thread.ts';
import { DatabaseCare } from './database-care.ts';
import { createEventStreams } from './events.ts';
import { ensurePassword, passwordWasShown } from './first-password.ts';
import { greet, reachableAddresses } from './greeting.ts';
import { createHealth } from './health.ts';
import { createHttpApp } from './http-app.ts';
import { LazyLists } from './lazy-lists.ts';
import { openListeners } from './listening.ts';
import { openPatiently } from './open-patiently.ts';
import { handOverApi, stopApi } from './stop.ts';
import { TlsKeeper } from './tls-keeper.ts';
import { createPlaces } from './web-places.ts';
import { WebServers } from './web-servers.ts';

const heartbeatEveryMs = 500;
/** Time for the reply that tells of the damage to leave. */
const replyGraceMs = 100;
/** What the policy of the dns workers is made of. */
const inPolicy: ReadonlySet<string> = new Set(['domain', 'group', 'list', 'client', 'pause']);

export async function runApi(data: ApiThreadData, port: MessagePort): Promise<void> {
  markLoadsIn(data.heartbeat);
  setInterval(() => Atomics.add(data.heartbeat, 0, 1), heartbeatEveryMs).unref();
  const channel = createChannel(port);
  const { dataDir } = data;
  const events = new EventHub(wallClockMs);
  const storage = await openPatiently(data, channel, () =>
    openStorage({
      dataDir,
      nowMs: wallClockMs,
      onBroken: () => mendByRestart(dataDir),
      onMigration: (name) => channel.send({ kind: 'migrating', name }),
      onRoom: () => channel.send({ kind: 'renew', reason: 'there is room on the disk again' }),
      onMessages: (count) => events.emit('messages.changed', { count }),
      checkpointElsewhere: () => checkpointInThread(dataDir),
    }),
  );
  const api = await assemble(data, channel, storage, events);
  channel.onMessage((message) => {
    if (message.kind === 'threads') {
      api.threads = message.threads;
      void api.traces.follow(message.dnsMemory);
    }
    if (message.kind === 'history') {
      // A new thread tells anew what it finds wrong.
      api.situations.clear();
      api.history.connect(message.line);
    }
    if (message.kind === 'listening' && message.outcome.ok)
      void api.servers.follow(message.outcome.listening);
    if (message.kind === 'hand over') void handOverApi(api, channel);
    if (message.kind === 'stop') void stopApi(api, channel);
  });
  const replaced = await openListeners(data, api, channel);
  api.lists.start();
  await api.traces.settled();
  api.health.start();
  channel.send({ kind: 'ready' });
  if (api.password !== undefined || storage.origin === 'new') greet(data, api, replaced);
  await passwordWasShown(storage.secrets);
  flushCompileCache();
}

async function assemble(
  data: ApiThreadData,
  channel: Channel,
  storage: Storage,
  events: EventHub,
): Promise<Api> {
  const layers = { pinned: data.pinned, defaults: data.defaults, stored: storage.read.settings };
  const settings = new LiveSettings(layers, storage.change);
  const log = createApiLog(data, settings);
  for (const alarm of storage.alarms) log.error(alarm);
  for (const warning of settings.resolved.warnings) log.warn(warning);
  const password = await ensurePassword(settings, storage.secrets, log);
  const tls = createTls(data, settings, log);
  const care = createCare(data, storage, log);
  const clocks = { nowMs: steadyClockMs, wallMs: wallClockMs };
  const auth = await Authenticator.open({ ...clocks, storage, settings, log, hostname: hostname() });
  const both = { wallMs: wallClockMs, steadyMs: steadyClockMs };
  const blocking = new BlockingSwitch({ ...both, settings, kept: storage.secrets, log });
  const pauses = new Pauses({ ...both, storage, log });
  const servers = new WebServers({
    libc: loadLibc(),
    material: () => tls.material(),
    admit: createPlaces(settings, log).admit,
    onAttached: (listener, copy) => channel.send({ kind: 'attached', listener, copy }),
  });
  tls.onChange((material) => servers.present(material));
  storage.subscribe((changes) => {
    if (changes.some(({ entity }) => inPolicy.has(entity))) dns.follow();
  });
  blocking.subscribe(() => dns.follow());
  const dns = createFeeder(data, channel, { settings, servers, log, storage, blocking });
  const lists = new LazyLists(data, { storage, settings, dns, emit: events.emit, log });
  const parts = { log, storage, settings, auth, blocking, pauses, servers, tls, care, dns, lists, password };
  const traces = new DnsTraceReader();
  void traces.follow(data.dnsMemory);
  const lookUp = askOwnDns(() => servers.listening.dns);
  const situations = new Map<SituationName, string>();
  const history = createHistory(channel, storage, situations, (addresses) => namer.meet(addresses));
  const seen = () => history.seen();
  const requests = new RequestCounts();
  const devices = new DeviceDirectory({
    seen: { list: seen },
    openLinks,
    lookUp,
    onName: (address, name) => namer.heard(address, name),
    nowMs: steadyClockMs,
  });
  const namer = new ClientNamer({ devices, tell: (names) => history.setClientNames(names) });
  const streams = createEventStreams(events, { storage, blocking, pauses, history, dns });
  const watched = { dns, log, servers, settings, storage, traces, events };
  const threads = () => api.threads;
  const health = createHealth({ ...watched, threads, historyProblem: () => situations.get('disk') });
  const told = { traces, history, situations, devices, events, streams, health, requests, seen };
  const api: Api = { ...parts, ...told, threads: data.threads, phase: 'open', restarting: 0 };
  servers.serveWith(await createHttpApp(data, channel, api));
  return api;
}

function createCare(
  { dataDir }: ApiThreadData,
  { trouble, checkpointSoon }: Storage,
  log: Log,
): DatabaseCare {
  return new DatabaseCare({
    dataDir,
    nowMs: wallClockMs,
    log,
    trouble,
    onDone: checkpointSoon,
    onBroken: () => mendByRestart(dataDir),
  });
}

/** Ends this thread; its successor checks the database deeply when it opens it, and restores a copy. */
function mendByRestart(dataDir: string): void {
  markSuspect(dataDir);
  setTimeout(() => process.exit(1), replyGraceMs);
}

function createApiLog({ logs }: ApiThreadData, settings: LiveSettings): Log {
  return createLog({
    thread: 'api',
    shown: new ShownLogs(logs),
    level: () => settings.current.log.level,
    format: settings.current.log.format,
    nowMs: wallClockMs,
  });
}

function createFeeder(
  data: ApiThreadData,
  channel: Channel,
  {
    settings,
    servers,
    log,
    storage,
    blocking,
  }: Pick<Api, 'settings' | 'servers' | 'log' | 'storage' | 'blocking'>,
): PlanPublisher {
  return new PlanPublisher({
    settings,
    log,
    readMachine,
    apply: channel.applyDns,
    keep: (plan) => writePlan(data.dataDir, plan, data.version),
    apiUrls: () => apiUrls(servers.listening, hostname(), settings.current.web.basePath),
    productVersion: data.version,
    policy: () => policyNow(storage, blocking.state().blocking),
    wantsBlocking: () => blocking.state().blocking,
    wallMs: wallClockMs,
  });
}

function policyNow({ read }: Storage, isBlocking: boolean) {
  const nowSeconds = Math.floor(wallClockMs() / 1000);
  const domains = read.domains.filter(() => true);
  const groups = read.groups.filter(() => true);
  const lists = read.lists.filter(() => true);
  const clients = read.clients.filter(() => true);
  const pauses = read.pauses.filter(() => true);
  return {
    plan: makePolicyPlan({ domains, groups, lists, clients, pauses, isBlocking, nowSeconds }),
    untilSeconds: Math.min(
      nextEndSeconds([...domains, ...lists, ...clients], nowSeconds),
      nextScheduleChange(groups, nowSeconds),
      nextPauseEndSeconds(pauses, nowSeconds),
    ),
  };
}

/** A disk that history cannot write to degrades the service; other situations are messages that stay said. */
function createHistory(
  channel: Channel,
  { messages }: Storage,
  situations: Map<SituationName, string>,
  onClients: (addresses: readonly Uint8Array[]) => void,
): HistoryClient {
  return new HistoryClient({
    onClients,
    want: () => channel.send({ kind: 'history' }),
    sharedMs: sharedClockMs,
    onSituation: (name, text) => {
      if (text === undefined) situations.delete(name);
      else situations.set(name, text);
      if (name === 'disk') return;
      void (text === undefined
        ? messages.clear('history', name)
        : messages.put('history', name, 'DISK', text));
    },
  });
}

function createTls(data: ApiThreadData, settings: LiveSettings, log: Log): TlsKeeper {
  const tls = new TlsKeeper({
    folder: join(data.dataDir, 'tls'),
    settings: () => settings.current.web,
    addresses: () => reachableAddresses(readInterfaces()),
    hostname: hostname(),
    nowMs: wallClockMs,
    log,
  });
  settings.subscribe(() => tls.followSettings());
  return tls;
}
