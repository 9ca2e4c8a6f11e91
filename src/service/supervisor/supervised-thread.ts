// A worker thread under supervision: it is restarted when it dies, or when its heartbeat stops. The owner
// handles its messages; this class knows nothing about its work.

import { Worker, type MessagePort, type ResourceLimits } from 'node:worker_threads';
import type { Log } from '#platform/log';
import { makeHeartbeat, terminate, type ThreadStatus } from '#platform/threads';
import { createBackoff, type Backoff } from './backoff.ts';
import { errorText } from '#platform/tasks';

export interface ThreadSpec {
  readonly name: string;
  readonly entry: URL;
  /** Called at each start, because the data changes. */
  readonly data: (heartbeat: Int32Array) => unknown;
  readonly resourceLimits: ResourceLimits;
  /** A thread without a heartbeat for this long counts as hung. */
  readonly maxSilenceMs: number;
  /** For threads that must be back soon: the interval of checks, and the limit of the restart delay. */
  readonly checkEveryMs?: number;
  readonly maxRestartMs?: number;
  readonly maxStartMs?: number;
  readonly onMessage: (message: unknown) => void;
  /** Called at each check that finds no heartbeat, until the thread is terminated. */
  readonly onSilence?: () => void;
  /** Called right before the thread is terminated, for its silence or by `replace`. */
  readonly beforeTerminate: (isSilent: boolean) => void;
  readonly onStatus: () => void;
  readonly log: Log;
  readonly nowMs: () => number;
}

const defaultCheckEveryMs = 500;
/** A start may have to check a large database before the first heartbeat. */
const usualStartMs = 120_000;

export class SupervisedThread {
  readonly #spec: ThreadSpec;
  readonly #backoff: Backoff;
  #worker: Worker | undefined;
  #heartbeat = makeHeartbeat();
  #state: ThreadStatus['state'] = 'starting';
  #restarts = 0;
  #lastFailure: string | undefined;
  #startedMs = 0;
  /** How long the start may take without a heartbeat. */
  #maxStartMs = usualStartMs;
  #watch: NodeJS.Timeout | undefined;
  #restart: NodeJS.Timeout | undefined;

  constructor(spec: ThreadSpec) {
    this.#spec = spec;
    this.#backoff = createBackoff(spec.maxRestartMs);
  }

  get status(): ThreadStatus {
    const { name } = this.#spec;
    return { name, state: this.#state, restarts: this.#restarts, lastFailure: this.#lastFailure };
  }

  start(): void {
    const heartbeat = makeHeartbeat();
    this.#heartbeat = heartbeat;
    this.#startedMs = this.#spec.nowMs();
    this.#maxStartMs = this.#spec.maxStartMs ?? usualStartMs;
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

  /** Fails when the system is out of threads or memory; a later start may succeed. */
  #create(heartbeat: Int32Array): Worker | undefined {
    const { entry, data, resourceLimits, name } = this.#spec;
    try {
      return new Worker(entry, { name, workerData: data(heartbeat), resourceLimits });
    } catch (error) {
      this.#onExit(errorText(error));
      return undefined;
    }
  }

  /** The thread has started its work. A thread that is stopping stays so. */
  markRunning(): void {
    if (this.#state !== 'stopping') this.#setState('running');
  }

  /** Raises the limit for this start, because its work blocks the heartbeat. */
  allowSilentStart(maxMs: number): void {
    this.#maxStartMs = maxMs;
  }

  /** `ports` are the ports in the message, which are transferred. */
  post(message: unknown, ports: readonly MessagePort[] = []): void {
    this.#worker?.postMessage(message, ports);
  }

  /** Terminates the thread and starts a new one. */
  replace(reason: string): void {
    this.#terminate(reason, false);
  }

  #terminate(reason: string, isSilent: boolean): void {
    const worker = this.#worker;
    if (worker === undefined || this.#state === 'stopping') return;
    this.#worker = undefined;
    this.#spec.beforeTerminate(isSilent);
    // Logged after its sockets are taken back: clients that connect after this line reach the next thread.
    this.#spec.log.error(`The thread ${this.#spec.name} is replaced: ${reason}`);
    // The thread ends in any case; a failure of `terminate` needs no reaction.
    terminate(worker, this.#heartbeat).catch(() => undefined);
    this.#scheduleRestart(reason);
  }

  /** Terminates the thread for good. */
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
    this.#scheduleRestart(failure);
  }

  #scheduleRestart(failure: string): void {
    clearInterval(this.#watch);
    this.#lastFailure = failure.split('\n', 1)[0] ?? failure;
    this.#restarts++;
    this.#setState('waiting');
    const delayMs = this.#backoff.next(this.#spec.nowMs() - this.#startedMs);
    this.#restart = setTimeout(() => this.start(), delayMs);
  }

  /**
   * Counts checks without a heartbeat instead of measuring time: while the whole process is suspended
   * (SIGSTOP), the checks are suspended too, and no thread is replaced for that.
   */
  #watchHeartbeat(worker: Worker, heartbeat: Int32Array): void {
    clearInterval(this.#watch);
    const { checkEveryMs = defaultCheckEveryMs } = this.#spec;
    let last = -1;
    let silentMs = 0;
    let wasRunning = false;
    this.#watch = setInterval(() => {
      const beat = Atomics.load(heartbeat, 0);
      const hasJustStarted = this.#state === 'running' && !wasRunning;
      wasRunning = this.#state === 'running';
      // Silence during the start does not count once the thread is running.
      silentMs = beat === last && !hasJustStarted ? silentMs + checkEveryMs : 0;
      last = beat;
      const maxSilenceMs = this.#state === 'starting' ? this.#maxStartMs : this.#spec.maxSilenceMs;
      if (worker !== this.#worker) return;
      if (silentMs > 0 && silentMs <= maxSilenceMs) this.#spec.onSilence?.();
      if (silentMs > maxSilenceMs) this.#terminate(`it showed no sign of life for ${silentMs} ms`, true);
    }, checkEveryMs);
  }

  #setState(state: ThreadStatus['state']): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#spec.onStatus();
  }
}
