// The main thread of the service: it holds the lock and the sockets and keeps the threads alive, and does
// nothing else, because it must survive what happens elsewhere. It takes no request, opens no database and
// answers no query.

import { mkdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { SettingValue } from '#contract';
import { steadyClockMs, wallClockMs } from '../clock.ts';
import { createLog, type Log } from '../log/log.ts';
import type { PinnedSettings } from '../settings/sources.ts';
import { resolveSettings } from '../settings/resolve.ts';
import { lockFolder } from '../sockets/folder-lock.ts';
import { loadLibc, type Libc } from '../sockets/libc.ts';
import type { Listener, Opened, UnixListener } from '../sockets/listener.ts';
import { openUnixPlain } from '../sockets/plain-unix.ts';
import { takeBack } from '../sockets/take-back.ts';
import { openUnix } from '../sockets/unix-listener.ts';
import { threadEntries } from '../threads/entries.ts';
import type { ApiThreadData, FromApi } from '../threads/messages.ts';
import { SocketsKeeper } from './sockets-keeper.ts';
import { SupervisedThread } from './supervised-thread.ts';

export interface ServeOptions {
  readonly dataDir: string;
  readonly version: string;
  readonly sources: PinnedSettings;
  readonly defaults: ReadonlyMap<string, SettingValue>;
  readonly compileCacheDir: string;
}

export type ServeEnd =
  | { readonly end: 'stopped' }
  | { readonly end: 'locked' | 'failed'; readonly problem: string };

const stopMaxMs = 1_600;
const retryListenEveryMs = 10_000;
const apiSilenceMaxMs = 10_000;
const apiHeapMb = 256;

/** Runs the service until it is told to stop or cannot start. */
export const serve = async (options: ServeOptions): Promise<ServeEnd> => {
  const { pinned } = options.sources;
  const { log: logSettings } = resolveSettings({
    pinned,
    stored: new Map(),
    defaults: options.defaults,
  }).values;
  const log = createLog({
    thread: 'main',
    level: () => logSettings.level,
    format: logSettings.format,
    nowMs: wallClockMs,
  });
  for (const warning of options.sources.warnings) log.warn(warning);
  const libc = loadLibc();
  // Database, copies and keys are nobody else's business, whatever the folder's own mode.
  process.umask(0o077);
  const noFolder = folderProblem(options.dataDir);
  if (noFolder !== undefined) return { end: 'failed', problem: noFolder };
  const holder = {
    pid: process.pid,
    startedAt: new Date(wallClockMs()).toISOString(),
    version: options.version,
    host: hostname(),
  };
  const locked = lockFolder(libc, options.dataDir, holder);
  if (!locked.ok) return { end: 'locked', problem: locked.problem };
  const controlPath = join(options.dataDir, 'control.sock');
  const control = await openControl(libc, controlPath);
  if (!control.ok) log.error(`The command line cannot reach this service: ${control.problem}`);
  log.info('Starting', { version: options.version, data: options.dataDir });
  try {
    return await supervise({ ...options, log, libc, control: control.ok ? control.listener : undefined });
  } finally {
    rmSync(controlPath, { force: true });
    locked.lock.release();
  }
};

const folderProblem = (path: string): string | undefined => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `data folder ${path}: cannot be made (${reason}). Make it, or name another one in storage.dir.`;
  }
};

const openControl = async (libc: Libc | undefined, path: string): Promise<Opened<UnixListener>> =>
  libc === undefined ? openUnixPlain(path) : openUnix(libc, path);

interface Supervision extends ServeOptions {
  readonly log: Log;
  readonly libc: Libc | undefined;
  readonly control: UnixListener | undefined;
}

const supervise = async (supervision: Supervision): Promise<ServeEnd> => {
  const { log } = supervision;
  const ended = Promise.withResolvers<ServeEnd>();
  const stopped = Promise.withResolvers<void>();
  const sockets = new SocketsKeeper(supervision.libc);
  const api = createApiThread(supervision, sockets, {
    onStopped: stopped.resolve,
    onHopeless: (problem) => ended.resolve({ end: 'failed', problem }),
  });
  const retry = setInterval(() => void retryListening(sockets, api), retryListenEveryMs);
  const unsubscribe = onSignals({
    stop: (signal) => {
      log.info('Stopping', { signal });
      ended.resolve({ end: 'stopped' });
    },
    replace: () => api.replace('it was asked for by the signal SIGUSR2'),
  });
  api.start();
  const end = await ended.promise;
  clearInterval(retry);
  await stopThread(api, stopped.promise);
  sockets.close();
  unsubscribe();
  log.info('Stopped');
  return end;
};

interface ApiEvents {
  readonly onStopped: () => void;
  readonly onHopeless: (problem: string) => void;
}

const createApiThread = (
  supervision: Supervision,
  sockets: SocketsKeeper,
  events: ApiEvents,
): SupervisedThread => {
  const startedMs = wallClockMs();
  let wasReady = false;
  let copies: (FromApi & { kind: 'attached' })[] = [];
  const tellThreads = (): void => thread.post({ kind: 'threads', threads: [thread.status] });
  const onMessage = (message: FromApi): void => {
    if (message.kind === 'listen') void answerListen(sockets, thread, message);
    if (message.kind === 'stopped') events.onStopped();
    if (message.kind === 'attached') copies.push(message);
    if (message.kind === 'hopeless') {
      // What worked before may work again after a restart of the thread; a first start that cannot succeed is
      // over.
      if (wasReady) thread.replace(message.problem);
      else events.onHopeless(message.problem);
    }
    if (message.kind === 'ready') {
      wasReady = true;
      thread.markRunning();
      supervision.log.info('Ready', {
        listening: sockets.listening.open
          .map(({ listener }) => `${listener.address}:${listener.port}`)
          .join(' '),
      });
    }
  };
  const thread: SupervisedThread = new SupervisedThread({
    name: 'api',
    entry: threadEntries.api,
    data: (heartbeat) => {
      copies = [];
      return apiThreadData(supervision, sockets, thread, startedMs, heartbeat);
    },
    resourceLimits: { maxOldGenerationSizeMb: apiHeapMb, maxYoungGenerationSizeMb: 8 },
    silenceMaxMs: apiSilenceMaxMs,
    // Only the api thread's entry speaks on this port, in these words.
    onMessage: (message) => onMessage(message as FromApi),
    beforeForce: () => takeBackAll(supervision.libc, copies),
    onStatus: () => tellThreads(),
    log: supervision.log,
    nowMs: steadyClockMs,
  });
  return thread;
};

/** A thread on its way out would accept connections that nobody serves; so its copies are taken from it. */
const takeBackAll = (
  libc: Libc | undefined,
  copies: readonly { listener: Listener; copy: number }[],
): void => {
  if (libc !== undefined) for (const { listener, copy } of copies) takeBack(libc, listener, copy);
};

const apiThreadData = (
  supervision: Supervision,
  sockets: SocketsKeeper,
  thread: SupervisedThread,
  startedMs: number,
  heartbeat: Int32Array,
): ApiThreadData => ({
  dataDir: supervision.dataDir,
  version: supervision.version,
  defaults: supervision.defaults,
  control: supervision.control,
  compileCacheDir: supervision.compileCacheDir,
  startedMs,
  heartbeat,
  pinned: supervision.sources.pinned,
  listening: sockets.listening,
  threads: [thread.status],
});

const answerListen = async (
  sockets: SocketsKeeper,
  thread: SupervisedThread,
  { reply, setting, text, occasion }: FromApi & { kind: 'listen' },
): Promise<void> => {
  const outcome = await sockets.listen(setting, text, occasion);
  thread.post({ kind: 'listening', reply, outcome });
};

const retryListening = async (sockets: SocketsKeeper, thread: SupervisedThread): Promise<void> => {
  if (!(await sockets.retry())) return;
  const outcome = { ok: true, listening: sockets.listening, replaced: undefined };
  thread.post({ kind: 'listening', reply: undefined, outcome });
};

/** Asks first, and ends by force what has not ended in time. */
const stopThread = async (thread: SupervisedThread, stopped: Promise<void>): Promise<void> => {
  thread.markStopping();
  thread.post({ kind: 'stop' });
  const tooLong = Promise.withResolvers<void>();
  const timer = setTimeout(tooLong.resolve, stopMaxMs);
  await Promise.race([stopped, tooLong.promise]);
  clearTimeout(timer);
  await thread.end();
};

interface SignalActions {
  readonly stop: (signal: string) => void;
  readonly replace: () => void;
}

const onSignals = ({ stop, replace }: SignalActions): (() => void) => {
  const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  for (const signal of stopSignals) process.on(signal, stop);
  process.on('SIGUSR2', replace);
  return () => {
    for (const signal of stopSignals) process.off(signal, stop);
    process.off('SIGUSR2', replace);
  };
};
