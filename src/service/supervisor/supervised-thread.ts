// A worker thread that is kept alive: started, watched by its heartbeat, started again when it dies or hangs,
// and ended when asked. It does not know what the thread does; whoever made it gets the messages.

import { Worker, type MessagePort, type ResourceLimits } from 'node:worker_threads';
import type { Log } from '#platform/log';
import { makeHeartbeat, terminate, type ThreadStatus } from '#platform/threads';
import { createBackoff, type Backoff } from './backoff.ts';

export interface ThreadSpec {
  readonly name: string;
  readonly entry: URL;
  /** Given anew at each start, because what a thread needs to know changes. */
  readonly data: (heartbeat: Int32Array) => unknown;
  readonly resourceLimits: ResourceLimits;
  /** How long the thread may be silent before it counts as hung. */
  readonly silenceMaxMs: number;
  /** Bounds for threads that are missed at once: how often to look, and how long to wait after deaths. */
  readonly checkEveryMs?: number;
  readonly restartMaxMs?: number;
  readonly startMaxMs?: number;
  readonly onMessage: (message: unknown) => void;
  /** Called at each look that finds no sign of life, as long as the thread is let be. */
  readonly onSilence?: () => void;
  /** Called right before the thread is ended by force: for its silence, or because somebody wants it. */
  readonly beforeForce: (isSilent: boolean) => void;
  readonly onStatus: () => void;
  readonly log: Log;
  readonly nowMs: () => number;
}

const usualCheckEveryMs = 500;
/** A start may have to check a large database before it can show signs of life. */
const usualStartMaxMs = 120_000;

export class SupervisedThread {
  readonly #spec: ThreadSpec;
  readonly #backoff: Backoff;
  #worker: Worker | undefined;
  #heartbeat = makeHeartbeat();
  #state: ThreadStatus['state'] = 'starting';
  #restarts = 0;
  #lastFailure: string | undefined;
  #startedMs = 0;
  /** How long the start may go on without a sign of life. */
  #startMaxMs = usualStartMaxMs;
  #watch: NodeJS.Timeout | undefined;
  #restart: NodeJS.Timeout | undefined;

  constructor(spec: ThreadSpec) {
    this.#spec = spec;
    this.#backoff = createBackoff(spec.restartMaxMs);
  }

  get status(): ThreadStatus {
    const { name } = this.#spec;
    return { name, state: this.#state, restarts: this.#restarts, lastFailure: this.#lastFailure };
  }

  start(): void {
    const heartbeat = makeHeartbeat();
    this.#heartbeat = heartbeat;
    this.#startedMs = this.#spec.nowMs();
    this.#startMaxMs = this.#spec.startMaxMs ?? usualStartMaxMs;
    this.#setState('starting');
    const worker = this.#create(heartbeat);
    if (worker === undefined) return;
    this.#worker = worker;
    let failure: string | undefined;
    worker.on('message', (message) => worker === this.#worker && this.#spec.onMessage(message));
    worker.on(
      'error',
      (error) => (failure = String(error instanceof Error ? (error.stack ?? error) : error)),
    );
    worker.on(
      'exit',
      (code) => worker === this.#worker && this.#onExit(failure ?? `it ended with code ${code}`),
    );
    this.#watchHeartbeat(worker, heartbeat);
  }

  /** A system that has no thread or memory to give may have both a moment later. */
  #create(heartbeat: Int32Array): Worker | undefined {
    const { entry, data, resourceLimits, name } = this.#spec;
    try {
      return new Worker(entry, { name, workerData: data(heartbeat), resourceLimits });
    } catch (error) {
      this.#onExit(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** Says that the thread does its work now; one that is to end does so all the same. */
  markRunning(): void {
    if (this.#state !== 'stopping') this.#setState('running');
  }

  /** The thread does work that it cannot interrupt for a sign of life: this start may be silent so long. */
  allowSilentStart(maxMs: number): void {
    this.#startMaxMs = maxMs;
  }

  /** Ports among what is sent are handed over. */
  post(message: unknown, ports: readonly MessagePort[] = []): void {
    this.#worker?.postMessage(message, ports);
  }

  /** Ends the thread by force and starts it anew. */
  replace(reason: string): void {
    this.#force(reason, false);
  }

  #force(reason: string, isSilent: boolean): void {
    const worker = this.#worker;
    if (worker === undefined || this.#state === 'stopping') return;
    this.#worker = undefined;
    this.#spec.beforeForce(isSilent);
    // Logged once its sockets are taken back: a client that comes after this line meets the next thread.
    this.#spec.log.error(`The thread ${this.#spec.name} is replaced: ${reason}`);
    // Its end is all that is wanted, and there is nobody to hear more of it.
    terminate(worker, this.#heartbeat).catch(() => undefined);
    this.#startAgain(reason);
  }

  /** Nothing is started again from now on; ends what is still there. */
  async end(): Promise<void> {
    this.#setState('stopping');
    clearTimeout(this.#restart);
    clearInterval(this.#watch);
    if (this.#worker !== undefined) await terminate(this.#worker, this.#heartbeat);
    this.#worker = undefined;
  }

  markStopping(): void {
    this.#setState('stopping');
  }

  #onExit(failure: string): void {
    this.#worker = undefined;
    clearInterval(this.#watch);
    if (this.#state === 'stopping') return;
    this.#spec.log.error(`The thread ${this.#spec.name} died: ${failure}`);
    this.#startAgain(failure);
  }

  #startAgain(failure: string): void {
    clearInterval(this.#watch);
    this.#lastFailure = failure.split('\n', 1)[0] ?? failure;
    this.#restarts++;
    this.#setState('waiting');
    const delayMs = this.#backoff.next(this.#spec.nowMs() - this.#startedMs);
    this.#restart = setTimeout(() => this.start(), delayMs);
  }

  /**
   * Counts looks without a sign of life instead of measuring time: when the whole process was stopped for a
   * while, the looks were stopped with it, and nobody is replaced for that.
   */
  #watchHeartbeat(worker: Worker, heartbeat: Int32Array): void {
    clearInterval(this.#watch);
    const { checkEveryMs = usualCheckEveryMs } = this.#spec;
    let last = -1;
    let silentMs = 0;
    let wasRunning = false;
    this.#watch = setInterval(() => {
      const beat = Atomics.load(heartbeat, 0);
      const hasBegun = this.#state === 'running' && !wasRunning;
      wasRunning = this.#state === 'running';
      // Silence of the start does not count against a thread that has just begun its work.
      silentMs = beat === last && !hasBegun ? silentMs + checkEveryMs : 0;
      last = beat;
      const silenceMaxMs = this.#state === 'starting' ? this.#startMaxMs : this.#spec.silenceMaxMs;
      if (worker !== this.#worker) return;
      if (silentMs > 0 && silentMs <= silenceMaxMs) this.#spec.onSilence?.();
      if (silentMs > silenceMaxMs) this.#force(`it showed no sign of life for ${silentMs} ms`, true);
    }, checkEveryMs);
  }

  #setState(state: ThreadStatus['state']): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#spec.onStatus();
  }
}
