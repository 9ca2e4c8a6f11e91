// The history thread as main sees it: a supervised thread that is started on demand, its connection to the
// api thread, and its stop. It is stopped after the dns workers, because it writes their last records.

import { randomInt } from 'node:crypto';
import { MessageChannel } from 'node:worker_threads';
import { steadyClockMs } from '#platform/time';
import {
  type DnsTraces,
  type FromHistory,
  type HistoryLine,
  type HistoryPlan,
  type HistoryThreadData,
  makeCancelled,
  type ToHistory,
} from '#history/thread';
import { threadEntries } from '../entries.ts';
import type { ThreadStatus } from '#platform/threads';
import { Acknowledgements } from './acknowledgements.ts';
import { SupervisedThread } from './supervised-thread.ts';
import type { Supervision } from './supervision.ts';

export interface HistoryEvents {
  readonly onStatus: () => void;
  /** Sends the api thread its end of the connection. */
  readonly connectApi: (connection: HistoryLine) => void;
  /** Whether a dns worker has recorded anything. */
  readonly hasRecords: () => boolean;
  readonly dnsMemory: () => readonly DnsTraces[];
}

const name = 'history';
const checkEveryMs = 1_000;
/** How long a change of settings may wait for the thread. */
const maxPlanMs = 1_000;
const maxSilenceMs = 15_000;
const maxStopMs = 2_500;
const heapMb = 256;
const youngMb = 4;

export class HistoryThread {
  readonly #supervision: Supervision;
  readonly #events: HistoryEvents;
  readonly #thread: SupervisedThread;
  readonly #planned = new Acknowledgements(maxPlanMs);
  readonly #stopped = new Acknowledgements(maxStopMs);
  readonly #checks = setInterval(() => this.#startIfNeeded(), checkEveryMs).unref();
  #plan: HistoryPlan | undefined;
  #isRequested = false;
  #isStarted = false;
  #isEnding = false;

  constructor(supervision: Supervision, events: HistoryEvents) {
    this.#supervision = supervision;
    this.#events = events;
    this.#thread = new SupervisedThread({
      name,
      entry: threadEntries.history,
      data: (heartbeat) => this.#data(heartbeat),
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb },
      maxSilenceMs,
      // Only the history thread posts on this port.
      onMessage: (message) => this.#onMessage(message as FromHistory),
      beforeTerminate: () => undefined,
      onStatus: events.onStatus,
      log: supervision.log,
      nowMs: steadyClockMs,
    });
  }

  /** `idle` until the thread is needed. */
  get statuses(): readonly ThreadStatus[] {
    const { status } = this.#thread;
    return [this.#isStarted ? status : { ...status, state: 'idle' }];
  }

  /** Resolves when the thread has applied the plan, or after a timeout. The thread needs a plan to start. */
  async setPlan(plan: HistoryPlan): Promise<void> {
    const isSame = JSON.stringify(plan) === JSON.stringify(this.#plan);
    this.#plan = plan;
    if (!this.#isStarted) return this.#startIfNeeded();
    if (isSame) return undefined;
    const planned = this.#planned.begin(0, [name]);
    this.#post({ kind: 'plan', plan });
    await planned;
    return undefined;
  }

  /** A caller of the API needs the history. */
  startOnDemand(): void {
    this.#isRequested = true;
    this.#startIfNeeded();
  }

  /** Call when dns workers were started or stopped. */
  updateDnsMemory(): void {
    if (this.#isStarted) this.#post({ kind: 'memory', dnsMemory: this.#events.dnsMemory() });
  }

  /** Connects the history thread and the api thread; call when one of them is new. */
  connect(): void {
    if (!this.#isStarted || this.#thread.status.state !== 'running') return;
    const { port1, port2 } = new MessageChannel();
    const cancelled = makeCancelled();
    this.#events.connectApi({ port: port1, cancelled });
    this.#thread.post({ kind: 'line', line: { port: port2, cancelled } } satisfies ToHistory, [port2]);
  }

  replace(reason: string): void {
    this.#thread.replace(reason);
  }

  /** Writes the last records of the dns workers, which must have ended. */
  async stop(): Promise<void> {
    clearInterval(this.#checks);
    this.#isEnding = true;
    // After a very short run there may be records that no check has seen.
    if (!this.#isStarted && this.#plan !== undefined && this.#events.hasRecords()) this.#start();
    if (!this.#isStarted) return;
    const isRunning = this.#thread.status.state !== 'waiting';
    this.#thread.markStopping();
    const stopped = isRunning ? this.#stopped.begin(0, [name]) : undefined;
    this.#post({ kind: 'stop' });
    await stopped;
    await this.#thread.end();
  }

  #startIfNeeded(): void {
    if (this.#isStarted || this.#isEnding || this.#plan === undefined) return;
    if (this.#isRequested || this.#events.hasRecords()) this.#start();
  }

  #start(): void {
    this.#isStarted = true;
    this.#thread.start();
  }

  #post(message: ToHistory): void {
    this.#thread.post(message);
  }

  #onMessage(message: FromHistory): void {
    switch (message.kind) {
      case 'ready':
        this.#thread.markRunning();
        // The thread was started with the latest plan.
        this.#planned.acknowledge(name, 0);
        return this.connect();
      case 'notice':
        return this.#supervision.log[message.level](message.text, { thread: name });
      case 'stopped':
        return this.#stopped.acknowledge(name, 0);
      case 'planned':
        return this.#planned.acknowledge(name, 0);
    }
  }

  #data(heartbeat: Int32Array): HistoryThreadData {
    const { dataDir, compileCacheDir } = this.#supervision;
    const plan = this.#plan;
    if (plan === undefined) throw new Error('The history thread needs a plan to start.');
    const seeds = [randomInt(2 ** 31), randomInt(2 ** 31)] as const;
    return { dataDir, compileCacheDir, heartbeat, plan, seeds, dnsMemory: this.#events.dnsMemory() };
  }
}
