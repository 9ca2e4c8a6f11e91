// The api thread as main sees it: a supervised thread that sends requests and ends in one of two ways. `stop`
// asks it to stop and terminates it after a timeout. `handOver` makes it release everything that a successor
// needs; it then stays until requests for the restart have their reply.

import type { MessagePort } from 'node:worker_threads';
import { wallClockMs, steadyClockMs } from '#platform/time';
import { type Libc, type Listener, revokeCopy } from '#platform/sockets';
import { threadEntries } from '../entries.ts';
import type { ApiThreadData, FromApi, ToApi } from '../messages/messages.ts';
import type { DnsTraces } from '#history/thread';
import type { ThreadStatus } from '#platform/threads';
import { SupervisedThread } from './supervised-thread.ts';
import type { Supervision } from './supervision.ts';

export interface ApiEvents {
  /** A request of the thread to main. */
  readonly onRequest: (message: FromApi) => void;
  readonly onReady: () => void;
  /** The thread cannot serve; it retries. */
  readonly onApiUnavailable: (problem: string) => void;
  readonly onStatus: () => void;
  readonly listening: () => ApiThreadData['listening'];
  readonly threads: () => readonly ThreadStatus[];
  readonly dnsMemory: () => readonly DnsTraces[];
}

const maxStopMs = 1_600;
/** Time for requests under way, and for pending writes. */
const maxCloseMs = 3_000;
const maxSilenceMs = 10_000;
/** As long as a restart may take (handover/successor-timeout.ts). */
const maxMigrationMs = 600_000;
const heapMb = 256;

export class ApiThread {
  readonly #supervision: Supervision;
  readonly #events: ApiEvents;
  readonly #thread: SupervisedThread;
  readonly #startedMs = wallClockMs();
  #wasReady = false;
  #isScreenShown = false;
  #copies: { readonly listener: Listener; readonly copy: number }[] = [];
  /** Callbacks of requests to the thread, by the kind of the reply. */
  #awaited = new Map<FromApi['kind'], () => void>();

  constructor(supervision: Supervision, events: ApiEvents) {
    this.#supervision = supervision;
    this.#events = events;
    this.#thread = new SupervisedThread({
      name: 'api',
      entry: threadEntries.api,
      data: (heartbeat) => this.#data(heartbeat),
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 8 },
      maxSilenceMs,
      // Only the api thread posts on this port.
      onMessage: (message) => this.#onMessage(message as FromApi),
      beforeTerminate: () => revokeAll(supervision.libc, this.#copies),
      onStatus: events.onStatus,
      log: supervision.log,
      nowMs: steadyClockMs,
    });
  }

  get status(): ThreadStatus {
    return this.#thread.status;
  }

  /** Whether an api thread of this process was ever ready. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  start(): void {
    this.#thread.start();
  }

  post(message: ToApi, ports: readonly MessagePort[] = []): void {
    this.#thread.post(message, ports);
  }

  replace(reason: string): void {
    this.#thread.replace(reason);
  }

  /** Asks the thread to stop, and terminates it after a timeout. */
  async stop(): Promise<void> {
    const exists = this.status.state !== 'waiting';
    this.#thread.markStopping();
    if (exists) await this.#request({ kind: 'stop' }, 'stopped', maxStopMs);
    await this.#thread.end();
  }

  /** Resolves when the thread has closed databases and sockets, or was terminated after a timeout. */
  async handOver(): Promise<void> {
    const isRunning = this.status.state === 'running';
    this.#thread.markStopping();
    const isClosed = isRunning && (await this.#request({ kind: 'hand over' }, 'closed', maxCloseMs));
    if (!isClosed) await this.#thread.end();
  }

  /** True when the reply has come in time. */
  async #request(message: ToApi, reply: FromApi['kind'], maxMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#awaited.set(reply, () => resolve(true));
    const timer = setTimeout(() => resolve(false), maxMs);
    this.#thread.post(message);
    const hasReplied = await promise;
    clearTimeout(timer);
    return hasReplied;
  }

  #onMessage(message: FromApi): void {
    this.#awaited.get(message.kind)?.();
    switch (message.kind) {
      case 'attached':
        this.#copies.push(message);
        return undefined;
      case 'database-unavailable':
        return this.#events.onApiUnavailable(message.problem);
      case 'migrating':
        return this.#onMigrating(message.name);
      case 'renew':
        return this.#thread.replace(message.reason);
      case 'screen shown':
        this.#isScreenShown = true;
        return undefined;
      case 'ready':
        this.#wasReady = true;
        this.#thread.markRunning();
        return this.#events.onReady();
      default:
        return this.#events.onRequest(message);
    }
  }

  /** One long SQL statement blocks the heartbeat of the thread. */
  #onMigrating(migration: string): void {
    this.#thread.allowSilentStart(maxMigrationMs);
    const text = `Migrating the database; this may take up to ${maxMigrationMs / 60_000} minutes.`;
    this.#supervision.log.info(text, { migration });
  }

  #data(heartbeat: Int32Array): ApiThreadData {
    this.#copies = [];
    const { dataDir, version, defaults, control, compileCacheDir, sources, logs } = this.#supervision;
    return {
      dataDir,
      version,
      defaults,
      control,
      compileCacheDir,
      startedMs: this.#startedMs,
      heartbeat,
      logs,
      pinned: sources.pinned,
      listening: this.#events.listening(),
      isScreenShown: this.#isScreenShown,
      threads: this.#events.threads(),
      dnsMemory: this.#events.dnsMemory(),
    };
  }
}

/** A thread that is being terminated would still accept connections, and never serve them. */
function revokeAll(libc: Libc | undefined, copies: readonly { listener: Listener; copy: number }[]): void {
  if (libc !== undefined) for (const { listener, copy } of copies) revokeCopy(libc, listener, copy);
}
