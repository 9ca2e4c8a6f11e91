// The api thread: everything about HTTP, entities and settings, wired together here and nowhere else. It may
// die at any moment; the supervisor holds the sockets and starts it again, and it finds all it needs on the
// disk.

import { randomBytes } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { endpoints } from '#contract';
import { steadyClockMs, wallClockMs } from '../clock.ts';
import { createConfigurationHandlers } from '../handlers/configuration.ts';
import { createGroupHandlers } from '../handlers/groups.ts';
import { createServiceHandlers } from '../handlers/service.ts';
import { createApp } from '../http/app.ts';
import { createAuthenticate } from '../http/caller.ts';
import { createGate, type Gate } from '../http/gate.ts';
import type { Handlers } from '../http/handler.ts';
import { createLog, type Log } from '../log/log.ts';
import { LiveSettings } from '../settings/live-settings.ts';
import { loadLibc } from '../sockets/libc.ts';
import { markSuspect } from '../storage/open-file.ts';
import { openStorage, type Storage } from '../storage/storage.ts';
import type { ApiThreadData } from '../threads/messages.ts';
import type { Api } from './api.ts';
import { createChannel, type Channel } from './channel.ts';
import { DatabaseCare } from './database-care.ts';
import { ensurePassword } from './first-password.ts';
import { currentUrls, greet, reachableAddresses } from './greeting.ts';
import { openListeners, relisten } from './listening.ts';
import { serviceStatus } from './service-status.ts';
import { stopApi } from './stop.ts';
import { TlsKeeper } from './tls-keeper.ts';
import { WebServers } from './web-servers.ts';

const heartbeatEveryMs = 200;
/** Time for the reply that tells of the damage to leave. */
const replyGraceMs = 100;

export const runApi = async (data: ApiThreadData, port: MessagePort): Promise<void> => {
  setInterval(() => Atomics.add(data.heartbeat, 0, 1), heartbeatEveryMs).unref();
  const channel = createChannel(port);
  const { dataDir } = data;
  const storage = await openStorage({ dataDir, nowMs: wallClockMs, onBroken: () => mendByRestart(dataDir) });
  if (typeof storage === 'string') return channel.send({ kind: 'hopeless', problem: storage });
  const api = await assemble(data, channel, storage);
  channel.onMessage((message) => {
    if (message.kind === 'threads') api.threads = message.threads;
    if (message.kind === 'listening' && message.outcome.ok)
      void api.servers.follow(message.outcome.listening);
    if (message.kind === 'stop') void stopApi(api, channel);
  });
  const replaced = await openListeners(data, api, channel);
  channel.send({ kind: 'ready' });
  if (api.password !== undefined || storage.origin === 'new') greet(data, api, replaced);
  flushCompileCache();
};

const assemble = async (data: ApiThreadData, channel: Channel, storage: Storage): Promise<Api> => {
  const layers = { pinned: data.pinned, defaults: data.defaults, stored: storage.read.settings };
  const settings = new LiveSettings(layers, storage.change);
  const log = createApiLog(settings);
  for (const alarm of storage.alarms) log.error(alarm);
  for (const warning of settings.resolved.warnings) log.warn(warning);
  const password = await ensurePassword(settings, log);
  const tls = createTls(data, settings, log);
  const { dataDir } = data;
  const care = new DatabaseCare({ dataDir, nowMs: wallClockMs, log, onBroken: () => mendByRestart(dataDir) });
  const handle = await createHandle(data, channel, storage, settings, log, () => api);
  const servers = new WebServers({
    handle,
    libc: loadLibc(),
    material: () => tls.material(),
    onAttached: (listener, copy) => channel.send({ kind: 'attached', listener, copy }),
  });
  tls.onChange((material) => servers.present(material));
  const parts = { log, storage, settings, servers, tls, care, password };
  const api: Api = { ...parts, threads: data.threads, draining: false };
  return api;
};

/** Ends this thread; its successor checks the database deeply when it opens it, and restores a copy. */
const mendByRestart = (dataDir: string): void => {
  markSuspect(dataDir);
  setTimeout(() => process.exit(1), replyGraceMs);
};

const createApiLog = (settings: LiveSettings): Log =>
  createLog({
    thread: 'api',
    level: () => settings.current.log.level,
    format: settings.current.log.format,
    nowMs: wallClockMs,
  });

const createTls = (data: ApiThreadData, settings: LiveSettings, log: Log): TlsKeeper => {
  const tls = new TlsKeeper({
    folder: join(data.dataDir, 'tls'),
    settings: () => settings.current.web,
    addresses: () => reachableAddresses(networkInterfaces()),
    hostname: hostname(),
    nowMs: wallClockMs,
    log,
  });
  settings.subscribe(() => tls.followSettings());
  return tls;
};

/** The app's function for requests; `api` is asked for late, because it holds the servers that call this. */
const createHandle = async (
  data: ApiThreadData,
  channel: Channel,
  storage: Storage,
  settings: LiveSettings,
  log: Log,
  api: () => Api,
) => {
  let gate: Gate | undefined;
  settings.subscribe(() => (gate = undefined));
  const makeGate = (): Gate =>
    createGate({
      web: settings.current.web,
      ownNames: [hostname()],
      isDraining: () => api().draining,
      httpsPort: () => api().servers.httpsPort(),
    });
  const app = await createApp({
    table: endpoints,
    handlers: createHandlers(data, channel, storage, settings, api),
    gate: () => (gate ??= makeGate()),
    authenticate: createAuthenticate(() => isPasswordEmpty(settings)),
    isControlSocket: (request) => api().servers.isControlSocket(request),
    nowMs: steadyClockMs,
    reportBug: (error, where) => reportBug(log, error, where),
  });
  return app.handle;
};

const createHandlers = (
  data: ApiThreadData,
  channel: Channel,
  storage: Storage,
  settings: LiveSettings,
  api: () => Api,
): Handlers => ({
  ...createServiceHandlers({
    version: data.version,
    basePath: () => settings.current.web.basePath,
    status: () => serviceStatus(data, api(), currentUrls(api())),
    failing: () => failingParts(api()),
  }),
  ...createConfigurationHandlers({
    settings,
    relisten: (path, text) => relisten(api().servers, channel, path, text),
  }),
  ...createGroupHandlers(storage),
});

const isPasswordEmpty = (settings: LiveSettings): boolean => {
  const password = settings.resolved.byPath.get('auth.password');
  return password?.value === '' && password.source !== 'default';
};

const failingParts = ({ threads, storage }: Api): { part: string; problem: string }[] => {
  const trouble = storage.trouble();
  return [
    ...(trouble === undefined ? [] : [{ part: 'database', problem: trouble }]),
    ...threads
      .filter(({ name, state }) => name !== 'api' && state !== 'running')
      .map(({ name, lastFailure }) => ({ part: name, problem: lastFailure ?? 'it is starting' })),
  ];
};

const reportBug = (log: Log, error: unknown, where: string): string => {
  const id = randomBytes(6).toString('hex');
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error('A request failed because of a fault of the service. Please report it.', { id, where, stack });
  return id;
};
