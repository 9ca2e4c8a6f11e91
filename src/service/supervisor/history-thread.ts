// The history thread as main sees it: a supervised thread that is started when there is something for it to
// do, the line between it and the api thread, and its end, which comes after that of the dns workers because
// it writes what they have left.

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
  /** Hands the api thread its end of the line. */
  readonly connectApi: (line: HistoryLine) => void;
  /** Whether a dns worker has recorded anything. */
  readonly hasRecords: () => boolean;
  readonly dnsMemory: () => readonly DnsTraces[];
}

const name = 'history';
const lookEveryMs = 1_000;
/** How long a change may wait for the thread. */
const planMaxMs = 1_000;
const silenceMaxMs = 15_000;
const stopMaxMs = 2_500;
const heapMb = 256;
const youngMb = 4;

export class HistoryThread {
  readonly #supervision: Supervision;
  readonly #events: HistoryEvents;
  readonly #thread: SupervisedThread;
  readonly #planned = new Acknowledgements(planMaxMs);
  readonly #stopped = new Acknowledgements(stopMaxMs);
  readonly #looking = setInterval(() => this.#look(), lookEveryMs).unref();
  #plan: HistoryPlan | undefined;
  #isWanted = false;
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
      silenceMaxMs,
      // Only the entry of the history thread speaks on this port, in these words.
      onMessage: (message) => this.#onMessage(message as FromHistory),
      beforeForce: () => undefined,
      onStatus: events.onStatus,
      log: supervision.log,
      nowMs: steadyClockMs,
    });
  }

  /** Idle while there was nothing to do. */
  get statuses(): readonly ThreadStatus[] {
    const { status } = this.#thread;
    return [this.#isStarted ? status : { ...status, state: 'idle' }];
  }

  /** What is remembered from now on; resolves when it is, or the time is up. Nothing starts without it. */
  async setPlan(plan: HistoryPlan): Promise<void> {
    const isSame = JSON.stringify(plan) === JSON.stringify(this.#plan);
    this.#plan = plan;
    if (!this.#isStarted) return this.#look();
    if (isSame) return undefined;
    const planned = this.#planned.begin(0, [name]);
    this.#post({ kind: 'plan', plan });
    await planned;
    return undefined;
  }

  /** Somebody asks for what is remembered. */
  want(): void {
    this.#isWanted = true;
    this.#look();
  }

  /** Dns workers have come or gone. */
  followMemory(): void {
    if (this.#isStarted) this.#post({ kind: 'memory', dnsMemory: this.#events.dnsMemory() });
  }

  /** One of the two threads is new. */
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

  /** What the dns workers have left is written; they must have ended. */
  async stop(): Promise<void> {
    clearInterval(this.#looking);
    this.#isEnding = true;
    // Records that nobody took yet, of a short life: they are to be remembered too.
    if (!this.#isStarted && this.#plan !== undefined && this.#events.hasRecords()) this.#start();
    if (!this.#isStarted) return;
    const isRunning = this.#thread.status.state !== 'waiting';
    this.#thread.markStopping();
    const stopped = isRunning ? this.#stopped.begin(0, [name]) : undefined;
    this.#post({ kind: 'stop' });
    await stopped;
    await this.#thread.end();
  }

  #look(): void {
    if (this.#isStarted || this.#isEnding || this.#plan === undefined) return;
    if (this.#isWanted || this.#events.hasRecords()) this.#start();
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
        // It was started with the latest plan.
        this.#planned.heard(name, 0);
        return this.connect();
      case 'notice':
        return this.#supervision.log[message.level](message.text, { thread: name });
      case 'stopped':
        return this.#stopped.heard(name, 0);
      case 'planned':
        return this.#planned.heard(name, 0);
    }
  }

  #data(heartbeat: Int32Array): HistoryThreadData {
    const { dataDir, compileCacheDir } = this.#supervision;
    const plan = this.#plan;
    if (plan === undefined) throw new Error('The history thread is not started without a plan.');
    const seeds = [randomInt(2 ** 31), randomInt(2 ** 31)] as const;
    return { dataDir, compileCacheDir, heartbeat, plan, seeds, dnsMemory: this.#events.dnsMemory() };
  }
}
