// The start and the end of the main thread. It opens the data folder, its lock and the control socket before
// anything else, and closes them last. A successor inherits all of them, and a process that has handed over
// leaves them in place.

import { rmSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { steadyClockMs, wallClockMs } from '#platform/time';
import { createLog, type Log, ShownLogs } from '#platform/log';
import { makeFolder, tightenCompileCache, tightenFolder } from '#platform/files';
import { resolveSettings } from '#store/settings';
import {
  type FolderLocked,
  inheritLock,
  type Libc,
  loadLibc,
  lockFolder,
  type LockHolder,
  type Opened,
  openUnix,
  openUnixPlain,
  type UnixListener,
  writeHolder,
} from '#platform/sockets';
import { threadEntries } from '../entries.ts';
import { collectGarbageAfterStart } from '#platform/threads';
import { DnsService } from './dns-service.ts';
import { createNotifier } from './handover/notify.ts';
import { Launcher } from './handover/launcher.ts';
import { loadProcessCalls } from './handover/process-calls.ts';
import { Supervisor, type SupervisorEnd } from './supervisor.ts';
import type { ServeEnd, ServeOptions, Supervision } from './supervision.ts';

/** Runs the service until it is stopped, fails to start, or another process takes over. */
export async function serve(options: ServeOptions): Promise<ServeEnd> {
  const logs = new ShownLogs();
  const log = createMainLog(options, logs);
  for (const warning of options.sources.warnings) log.warn(warning);
  const libc = loadLibc();
  // Only this user may read database, copies and keys, whatever the mode of the folder.
  process.umask(0o077);
  const noFolder = folderProblem(options);
  if (noFolder !== undefined) return { end: 'failed', problem: noFolder };
  const holder = {
    pid: process.pid,
    startedAt: new Date(wallClockMs()).toISOString(),
    version: options.version,
    host: hostname(),
  };
  // libuv creates its threads on first use, and they inherit the priority of the thread that uses them first.
  // If that were the compile thread, file access and password hashing would stay at idle priority for good.
  await access(options.dataDir);
  const locked = acquireLock(libc, options, holder);
  if (!locked.ok) return { end: locked.isHeld ? 'locked' : 'failed', problem: locked.problem };
  const modeProblem = tightenFolder(options.dataDir);
  if (modeProblem !== undefined) log.warn(modeProblem);
  tightenCompileCache(options.compileCacheDir);
  const control = await openControl(libc, options);
  if (!control.ok) log.error(`The command line cannot reach this service: ${control.problem}`);
  collectGarbageAfterStart();
  const listener = control.ok ? control.listener : undefined;
  const parts = { log, logs: logs.memory, libc, lock: locked.lock, control: listener };
  return superviseWith({ ...options, ...parts }, holder);
}

function createMainLog({ sources: { pinned }, defaults }: ServeOptions, shown: ShownLogs): Log {
  const { log } = resolveSettings({ pinned, stored: new Map(), defaults }).values;
  return createLog({ thread: 'main', level: () => log.level, format: log.format, nowMs: wallClockMs, shown });
}

function folderProblem({ dataDir, inheritance }: ServeOptions): string | undefined {
  if (inheritance !== undefined && inheritance.dataDir !== dataDir)
    return (
      `The data folder has changed from ${inheritance.dataDir} to ${dataDir}: ` +
      'stop the service and start it again.'
    );
  const reason = makeFolder(dataDir);
  if (reason === undefined) return undefined;
  return `data folder ${dataDir}: it cannot be created, because ${reason}. Name another one in storage.dir.`;
}

function acquireLock(
  libc: Libc | undefined,
  { dataDir, inheritance }: ServeOptions,
  holder: LockHolder,
): FolderLocked {
  return libc === undefined || inheritance === undefined
    ? lockFolder(libc, dataDir, holder)
    : inheritLock(libc, dataDir, inheritance.lock);
}

function controlPath({ dataDir }: ServeOptions): string {
  return join(dataDir, 'control.sock');
}

async function openControl(libc: Libc | undefined, options: ServeOptions): Promise<Opened<UnixListener>> {
  const inherited = options.inheritance?.control;
  if (inherited !== undefined) return { ok: true, listener: inherited };
  return libc === undefined ? openUnixPlain(controlPath(options)) : openUnix(libc, controlPath(options));
}

async function superviseWith(supervision: Supervision, holder: LockHolder): Promise<ServeEnd> {
  const { libc, log, lock, dataDir, compileCacheDir, inheritance } = supervision;
  const calls = loadProcessCalls();
  const notifier = createNotifier(libc, process.env['NOTIFY_SOCKET']);
  const launcher = calls && !notifier.isWanted ? new Launcher(calls, inheritance?.launcher) : undefined;
  let isInCharge = inheritance === undefined;
  const workers = {
    entry: threadEntries.dns,
    dataDir,
    compileCacheDir,
    libc,
    log,
    // Imports the engine, which main does not need until DNS is on.
    memory: async () => (await import('./engine-memory.ts')).engineMemory,
    nowMs: steadyClockMs,
    onStatus: () => supervisor.publishThreads(),
  };
  const dns = new DnsService(workers, inheritance?.dns ?? []);
  const supervisor = new Supervisor({
    ...supervision,
    dns,
    launcher,
    notifier,
    onInCharge: () => {
      isInCharge = true;
      if (lock.fd !== undefined) writeHolder(lock.fd, holder);
    },
  });
  const end = await supervisor.run();
  if (isInCharge && end.end !== 'handed over') rmSync(controlPath(supervision), { force: true });
  lock.release();
  return leave(end, launcher);
}

/** After a handover the first process stays as the launcher; any other process ends. */
async function leave(end: SupervisorEnd, launcher: Launcher | undefined): Promise<ServeEnd> {
  if (end.end !== 'handed over') return end;
  await launcher?.handOver(end.successor);
  return { end: 'stopped' };
}
