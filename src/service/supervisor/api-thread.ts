// The api thread as main sees it: a supervised thread, what it asks for, and its two ends. Stopping is asked
// for and then enforced. Handing over has two steps: first it lets go of everything that a successor needs,
// and once the outcome is known it answers whoever waits for it, and ends.

import type { MessagePort } from 'node:worker_threads';
import { wallClockMs, steadyClockMs } from '#platform/time';
import { type Libc, type Listener, takeBack } from '#platform/sockets';
import { threadEntries } from '../entries.ts';
import type { ApiThreadData, FromApi, ToApi } from '../messages/messages.ts';
import type { DnsTraces } from '#history/thread';
import type { ThreadStatus } from '#platform/threads';
import { SupervisedThread } from './supervised-thread.ts';
import type { Supervision } from './supervision.ts';

export interface ApiEvents {
  /** What the thread asks main for. */
  readonly onRequest: (message: FromApi) => void;
  readonly onReady: () => void;
  /** It cannot serve for now; it tries again by itself. */
  readonly onApiUnavailable: (problem: string) => void;
  readonly onStatus: () => void;
  readonly listening: () => ApiThreadData['listening'];
  readonly threads: () => readonly ThreadStatus[];
  readonly dnsMemory: () => readonly DnsTraces[];
}

const stopMaxMs = 1_600;
/** It waits for requests under way, and then writes what it holds. */
const closeMaxMs = 3_000;
const silenceMaxMs = 10_000;
/** As long as a restart may take (handover/patience.ts). */
const migrationMaxMs = 600_000;
const heapMb = 256;

export class ApiThread {
  readonly #supervision: Supervision;
  readonly #events: ApiEvents;
  readonly #thread: SupervisedThread;
  readonly #startedMs = wallClockMs();
  #wasReady = false;
  #copies: { readonly listener: Listener; readonly copy: number }[] = [];
  #said = new Map<FromApi['kind'], () => void>();

  constructor(supervision: Supervision, events: ApiEvents) {
    this.#supervision = supervision;
    this.#events = events;
    this.#thread = new SupervisedThread({
      name: 'api',
      entry: threadEntries.api,
      data: (heartbeat) => this.#data(heartbeat),
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 8 },
      silenceMaxMs,
      // Only the api thread's entry speaks on this port, in these words.
      onMessage: (message) => this.#onMessage(message as FromApi),
      beforeForce: () => takeBackAll(supervision.libc, this.#copies),
      onStatus: events.onStatus,
      log: supervision.log,
      nowMs: steadyClockMs,
    });
  }

  get status(): ThreadStatus {
    return this.#thread.status;
  }

  /** Whether it has ever served. */
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

  /** Asks first, and ends by force what has not ended in time. */
  async stop(): Promise<void> {
    const isThere = this.status.state !== 'waiting';
    this.#thread.markStopping();
    if (isThere) await this.#ask({ kind: 'stop' }, 'stopped', stopMaxMs);
    await this.#thread.end();
  }

  /** Resolves when databases and sockets are let go; a thread that does not do so in time is ended. */
  async handOver(): Promise<void> {
    const isRunning = this.status.state === 'running';
    this.#thread.markStopping();
    const isClosed = isRunning && (await this.#ask({ kind: 'hand over' }, 'closed', closeMaxMs));
    if (!isClosed) await this.#thread.end();
  }

  /** True when the thread said so in time. */
  async #ask(message: ToApi, answer: FromApi['kind'], maxMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#said.set(answer, () => resolve(true));
    const timer = setTimeout(() => resolve(false), maxMs);
    this.#thread.post(message);
    const isSaid = await promise;
    clearTimeout(timer);
    return isSaid;
  }

  #onMessage(message: FromApi): void {
    this.#said.get(message.kind)?.();
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
      case 'ready':
        this.#wasReady = true;
        this.#thread.markRunning();
        return this.#events.onReady();
      default:
        return this.#events.onRequest(message);
    }
  }

  /** A statement of SQLite is one call, in which the thread cannot show that it lives. */
  #onMigrating(migration: string): void {
    this.#thread.allowSilentStart(migrationMaxMs);
    const text = `The database is migrated. It may take up to ${migrationMaxMs / 60_000} minutes.`;
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
      threads: this.#events.threads(),
      dnsMemory: this.#events.dnsMemory(),
    };
  }
}

/** A thread on its way out would accept connections that nobody serves; so its copies are taken from it. */
function takeBackAll(libc: Libc | undefined, copies: readonly { listener: Listener; copy: number }[]): void {
  if (libc !== undefined) for (const { listener, copy } of copies) takeBack(libc, listener, copy);
}
