// The api thread: creates and connects everything for HTTP, entities and settings. It may die at any moment:
// the supervisor holds the sockets and restarts it, and it reads its state from the disk.

import { flushCompileCache } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { sharedClockMs, steadyClockMs, wallClockMs } from '#platform/time';
import { Authenticator } from '#api/auth';
import { ClientNamer, DeviceDirectory, lookUpInOwnDns, UnprotectedClients } from '#control/clients';
import { openLinks, readMachine } from '#platform/neighbours';
import {
  apiUrls,
  PlanPublisher,
  DnsTraceReader,
  buildPolicyPlan,
  nextEndSeconds,
  writePlan,
} from '#control/plan';
import { EventHub } from '#api/events';
import { createHolderNamer } from '#control/health';
import { HistoryClient, type SituationName } from '#history/thread';
import { createLog, type Log, ShownLogs } from '#platform/log';
import { RequestCounts } from '#api/metrics';
import { BlockingSwitch, nextPauseEndSeconds, nextScheduleChange, Pauses } from '#control/blocking';
import { LiveSettings } from '#store/settings';
import { type Listening, loadLibc, readInterfaces } from '#platform/sockets';
import { openStorage, type Storage } from '#store/database';
import { markSuspect } from '#store/database/maintenance';
import type { ApiThreadData } from '../messages/messages.ts';
import { markLoadsIn } from '#platform/threads';
import type { Api } from './api.ts';
import { createChannel, type Channel } from './channel.ts';
import { checkpointInThread } from './checkpoint-thread.ts';
import { DatabaseMaintenance } from './database-maintenance.ts';
import { createEventStreams } from './events.ts';
import { deliverPassword, ensurePassword, markPasswordShown } from './first-password.ts';
import { createHealth } from './health.ts';
import { createHttpApp } from './http-app.ts';
import { LazyLists } from './lazy-lists.ts';
import { openListeners } from './listening.ts';
import { openWithRetries } from './open-with-retries.ts';
import { reachableAddresses } from './own-addresses.ts';
import { showStart } from './show-start.ts';
import { handOverApi, stopApi } from './stop.ts';
import { CertificatePublisher } from './certificate-publisher.ts';
import { createConnectionLimiter } from './web-connections.ts';
import { WebServers } from './web-servers.ts';
import { threadEntries } from '../entries.ts';
import { issuerInThread } from '#platform/tls';

const heartbeatEveryMs = 500;
/** Gives the error reply time to be sent. */
const replyGraceMs = 100;
const dnsPort = 53;
/** The entities that the policy of the dns workers depends on. */
const policyEntities: ReadonlySet<string> = new Set(['domain', 'group', 'list', 'client', 'pause']);

export async function runApi(data: ApiThreadData, port: MessagePort): Promise<void> {
  markLoadsIn(data.heartbeat);
  setInterval(() => Atomics.add(data.heartbeat, 0, 1), heartbeatEveryMs).unref();
  const channel = createChannel(port);
  const { dataDir } = data;
  const events = new EventHub(wallClockMs);
  const storage = await openWithRetries(data, channel, () =>
    openStorage({
      dataDir,
      nowMs: wallClockMs,
      onDamaged: () => repairByRestart(dataDir),
      onMigration: (name) => channel.send({ kind: 'migrating', name }),
      onWritable: () => channel.send({ kind: 'renew', reason: 'there is room on the disk again' }),
      onMessages: (count) => events.emit('messages.changed', { count }),
      checkpointInThread: () => checkpointInThread(dataDir),
    }),
  );
  const api = await assemble(data, channel, storage, events);
  channel.onMessage((message) => {
    if (message.kind === 'threads') {
      api.threads = message.threads;
      void api.traces.setWorkers(message.dnsMemory);
    }
    if (message.kind === 'history') {
      // A new thread reports its problems again.
      api.situations.clear();
      api.history.connect(message.connection);
    }
    if (message.kind === 'listening' && message.outcome.ok)
      void api.servers.update(message.outcome.listening);
    if (message.kind === 'hand over') void handOverApi(api, channel);
    if (message.kind === 'stop') void stopApi(api, channel);
  });
  await openListeners(data, api, channel);
  api.lists.start();
  await api.traces.settled();
  api.health.start();
  const place = deliverPassword(api.password, { dataDir, settings: api.settings });
  if (place.kind !== 'screen' && place.kind !== 'unwritten') await markPasswordShown(storage.secrets);
  channel.send({ kind: 'ready' });
  flushCompileCache();
  if (data.isScreenShown && place.kind !== 'screen') return;
  if (!(await showStart(data, api, place))) return;
  channel.send({ kind: 'screen shown' });
  if (place.kind === 'screen') await markPasswordShown(storage.secrets);
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
  const maintenance = createMaintenance(data, storage, log);
  const clocks = { nowMs: steadyClockMs, wallMs: wallClockMs };
  const auth = await Authenticator.open({ ...clocks, storage, settings, log, hostname: hostname() });
  const both = { wallMs: wallClockMs, steadyMs: steadyClockMs };
  const blocking = new BlockingSwitch({ ...both, settings, secrets: storage.secrets, log });
  const pauses = new Pauses({ ...both, storage, log });
  const servers = new WebServers({
    libc: loadLibc(),
    material: () => tls.material(),
    admit: createConnectionLimiter(settings, log).admit,
    onAttached: (listener, copy) => channel.send({ kind: 'attached', listener, copy }),
    explain: createHolderNamer(),
  });
  tls.subscribe((material) => servers.setCertificate(material));
  storage.subscribe((changes) => {
    if (changes.some(({ entity }) => policyEntities.has(entity))) dns.invalidate();
  });
  blocking.subscribe(() => dns.invalidate());
  const dns = createPlanPublisher(data, channel, { settings, servers, log, storage, blocking });
  const lists = new LazyLists(data, { storage, settings, dns, emit: events.emit, log });
  const parts = { log, storage, settings, auth, blocking, pauses, servers, tls, dns, lists, password };
  const traces = new DnsTraceReader();
  void traces.setWorkers(data.dnsMemory);
  const lookUp = lookUpInOwnDns(() => servers.listening.dns);
  const situations = new Map<SituationName, string>();
  const history = createHistory(channel, storage, situations, (addresses) => namer.enqueue(addresses));
  const seen = () => history.seen();
  const requests = new RequestCounts();
  const devices = new DeviceDirectory({
    seen: { list: seen },
    openLinks,
    lookUp,
    onName: (address, name) => namer.publishName(address, name),
    nowMs: steadyClockMs,
  });
  const namer = new ClientNamer({ devices, publish: (names) => history.setClientNames(names) });
  const streams = createEventStreams(events, { storage, blocking, pauses, history, dns });
  const watched = { dns, log, servers, settings, storage, traces, events };
  const threads = () => api.threads;
  const health = createHealth({ ...watched, threads, historyProblem: () => situations.get('disk') });
  const live = { traces, history, situations, devices, events, streams, health, requests, seen };
  const api: Api = { ...parts, ...live, maintenance, threads: data.threads, phase: 'open', restarting: 0 };
  servers.serveWith(await createHttpApp(data, channel, api));
  return api;
}

function createMaintenance(
  { dataDir }: ApiThreadData,
  { trouble, checkpointSoon }: Storage,
  log: Log,
): DatabaseMaintenance {
  return new DatabaseMaintenance({
    dataDir,
    nowMs: wallClockMs,
    log,
    trouble,
    onDone: checkpointSoon,
    onDamaged: () => repairByRestart(dataDir),
  });
}

/** Ends this thread; the next one checks the database in depth, and repairs it or restores a copy. */
function repairByRestart(dataDir: string): void {
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

function createPlanPublisher(
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
  const nowSeconds = (): number => Math.floor(wallClockMs() / 1000);
  const { read, messages } = storage;
  const unprotected = new UnprotectedClients({ read, messages, nowSeconds });
  return new PlanPublisher({
    settings,
    log,
    readMachine,
    apply: channel.applyDns,
    store: (plan) => writePlan(data.dataDir, plan, data.version),
    foreignAddresses: () => foreignAddresses(servers.listening),
    apiUrls: () => apiUrls(servers.listening, hostname(), settings.current.web.basePath),
    productVersion: data.version,
    policy: () => {
      // The policy is planned after each change of clients and groups, and when a membership ends.
      unprotected.check();
      return policyNow(storage, blocking.state().blocking);
    },
    wantsBlocking: () => blocking.state().blocking,
    wallMs: wallClockMs,
  });
}

/** Where another program may answer on port 53, because this service cannot. */
function foreignAddresses({ closed }: Listening): readonly string[] {
  return closed
    .filter(({ setting, port }) => setting === 'dns.listen' && port === dnsPort)
    .map(({ address }) => address);
}

function policyNow({ read }: Storage, isBlocking: boolean) {
  const nowSeconds = Math.floor(wallClockMs() / 1000);
  const domains = read.domains.filter(() => true);
  const groups = read.groups.filter(() => true);
  const lists = read.lists.filter(() => true);
  const clients = read.clients.filter(() => true);
  const pauses = read.pauses.filter(() => true);
  return {
    plan: buildPolicyPlan({ domains, groups, lists, clients, pauses, isBlocking, nowSeconds }),
    untilSeconds: Math.min(
      nextEndSeconds([...domains, ...lists, ...clients], nowSeconds),
      nextScheduleChange(groups, nowSeconds),
      nextPauseEndSeconds(pauses, nowSeconds),
    ),
  };
}

/** A disk problem of the history degrades the service; other situations become diagnosis messages. */
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

function createTls(data: ApiThreadData, settings: LiveSettings, log: Log): CertificatePublisher {
  const tls = new CertificatePublisher({
    folder: join(data.dataDir, 'tls'),
    settings: () => settings.current.web,
    addresses: () => reachableAddresses(readInterfaces()),
    hostname: hostname(),
    nowMs: wallClockMs,
    issuer: issuerInThread(threadEntries.certificate),
    log,
  });
  settings.subscribe(() => tls.applySettings());
  return tls;
}
