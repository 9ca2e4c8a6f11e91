// Runs the history thread: the keeper with its timers, the port to the api thread, and the messages of the
// supervisor. No dns worker waits for this thread; when it dies, the next one reads the journal and continues
// with the rings.

import { flushCompileCache } from 'node:module';
import type { MessagePort } from 'node:worker_threads';
import { sharedClockMs, wallClockMs } from '#platform/time';
import type { FromHistory, HistoryThreadData, ToHistory } from './history-messages.ts';
import { HistoryKeeper } from './keeper.ts';
import { ApiPort } from './api-port.ts';

const beatEveryMs = 500;
/** Rings are read often under load, and seldom otherwise. */
const busyEveryMs = 10;
const idleEveryMs = 500;
const muchAtOnce = 500;
const writeEveryMs = 1_000;
const maintainEveryMs = 60_000;
/** Between two steps of maintenance, so that questions get their turn. */
const maintainStepMs = 100;
/** Between two steps of preparation, so that questions get their turn. */
const prepareStepMs = 5;
const maxPrepareMs = 1_000;
/** How often rings are read while a question is worked on. */
const betweenEveryMs = 50;
/**
 * A long question pauses briefly and often: a dns worker that wakes on the same core runs in the pause, and
 * not only at the kernel's next tick, which is up to 10 ms away and comes no sooner for a thread of lower
 * priority. A short question does not pause, because a busy machine does not return the core at once.
 */
const restsFromMs = 300;
const restAfterMs = 0.4;
const restMs = 0.05;

export function runHistory(data: HistoryThreadData, port: MessagePort): void {
  const thread = new HistoryThreadRun(data, (message) => port.postMessage(message));
  port.on('message', (message: ToHistory) => thread.receive(message));
  thread.start();
  flushCompileCache();
}

class HistoryThreadRun {
  readonly #data: HistoryThreadData;
  readonly #send: (message: FromHistory) => void;
  readonly #keeper: HistoryKeeper;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #apiPort: ApiPort | undefined;
  #ringsReadMs = 0;
  #restedMs = 0;
  readonly #rest = new Int32Array(new SharedArrayBuffer(4));

  constructor(data: HistoryThreadData, send: (message: FromHistory) => void) {
    this.#data = data;
    this.#send = send;
    const parts = {
      dataDir: data.dataDir,
      seeds: data.seeds,
      wallMs: wallClockMs,
      notice: (level: 'error' | 'warn' | 'info', text: string) => send({ kind: 'notice', level, text }),
      onSituation: (...situation: Parameters<ApiPort['sendSituation']>) =>
        this.#apiPort?.sendSituation(...situation),
    };
    this.#keeper = new HistoryKeeper(parts, data.plan);
  }

  start(): void {
    this.#keeper.setDnsMemory(this.#data.dnsMemory);
    this.#keeper.tryOpen();
    this.#beat();
    this.#readRings();
    this.#write();
    this.#later('maintain', maintainEveryMs, () => this.#maintain());
    this.#later('prepare', prepareStepMs, () => this.#prepare());
    this.#send({ kind: 'ready' });
  }

  receive(message: ToHistory): void {
    switch (message.kind) {
      case 'plan':
        this.#keeper.setPlan(message.plan);
        return this.#send({ kind: 'planned' });
      case 'memory':
        return this.#keeper.setDnsMemory(message.dnsMemory);
      case 'line':
        this.#apiPort?.close();
        this.#apiPort = new ApiPort(message.line, {
          keeper: this.#keeper,
          wallMs: wallClockMs,
          sharedMs: sharedClockMs,
          between: (workedMs) => this.#between(workedMs),
          notice: (level, text) => this.#send({ kind: 'notice', level, text }),
        });
        return undefined;
      case 'stop':
        return this.#stop();
    }
  }

  #later(name: string, delayMs: number, step: () => void): void {
    this.#timers.set(name, setTimeout(step, delayMs));
  }

  #beat(): void {
    Atomics.add(this.#data.heartbeat, 0, 1);
    this.#later('beat', beatEveryMs, () => this.#beat());
  }

  #readRings(): void {
    const taken = this.#keeper.catchUp();
    this.#ringsReadMs = sharedClockMs();
    this.#later('readRings', taken >= muchAtOnce ? busyEveryMs : idleEveryMs, () => this.#readRings());
  }

  #write(): void {
    this.#keeper.everySecond();
    this.#apiPort?.poll();
    this.#later('write', writeEveryMs, () => this.#write());
  }

  #maintain(): void {
    const isMore = this.#keeper.maintain();
    this.#later('maintain', isMore ? maintainStepMs : maintainEveryMs, () => this.#maintain());
  }

  #prepare(): void {
    const budget = { limitMs: maxPrepareMs, clockMs: sharedClockMs, between: () => this.#between(0) };
    const isMore = this.#keeper.prepare(budget);
    this.#later('prepare', isMore ? prepareStepMs : writeEveryMs, () => this.#prepare());
  }

  /** Keeps the heartbeat going and reads the rings during a long question. */
  #between(workedMs: number): void {
    const nowMs = this.#rested(workedMs);
    if (nowMs - this.#ringsReadMs < betweenEveryMs) return;
    this.#ringsReadMs = nowMs;
    Atomics.add(this.#data.heartbeat, 0, 1);
    this.#keeper.meanwhile();
  }

  /** Pauses if it is time to; returns the time afterwards. */
  #rested(workedMs: number): number {
    const nowMs = sharedClockMs();
    if (workedMs < restsFromMs || nowMs - this.#restedMs < restAfterMs) return nowMs;
    Atomics.wait(this.#rest, 0, 0, restMs);
    this.#restedMs = sharedClockMs();
    return this.#restedMs;
  }

  #stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#apiPort?.close();
    this.#apiPort = undefined;
    this.#keeper.close();
    this.#send({ kind: 'stopped' });
  }
}
