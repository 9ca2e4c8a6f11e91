// What the history thread runs: the keeper with its clocks, the line to the api thread, and the talk with
// the supervisor. No dns worker waits for anything here; when this thread dies, the next one reads its
// journal and goes on with the rings.

import { flushCompileCache } from 'node:module';
import type { MessagePort } from 'node:worker_threads';
import { sharedClockMs, wallClockMs } from '#platform/time';
import type { FromHistory, HistoryThreadData, ToHistory } from './history-messages.ts';
import { HistoryKeeper } from './keeper.ts';
import { ServedLine } from './api-port.ts';

const beatEveryMs = 500;
/** Rings are looked at often while there is much to take, and seldom while there is not. */
const busyEveryMs = 10;
const idleEveryMs = 500;
const muchAtOnce = 500;
const writeEveryMs = 1_000;
const careEveryMs = 60_000;
/** Between two steps of the same care, so that questions come through. */
const careStepMs = 100;
/** Between two steps of what is made before somebody asks: questions that come have their turn. */
const prepareStepMs = 5;
const prepareMaxMs = 1_000;
/** How often rings are looked at while a question is worked on. */
const betweenEveryMs = 50;
/**
 * A long question takes many short rests: a dns worker that wakes on the same core gets it then, and not at
 * the kernel's next tick, which is up to 10 ms away and comes no sooner for a thread of lower priority. One
 * that is soon done takes none: on a busy machine the core is not given back at once.
 */
const restsFromMs = 300;
const restAfterMs = 0.4;
const restMs = 0.05;

export function runHistory(data: HistoryThreadData, port: MessagePort): void {
  const thread = new HistoryThreadRun(data, (message) => port.postMessage(message));
  port.on('message', (message: ToHistory) => thread.hear(message));
  thread.start();
  flushCompileCache();
}

class HistoryThreadRun {
  readonly #data: HistoryThreadData;
  readonly #send: (message: FromHistory) => void;
  readonly #keeper: HistoryKeeper;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #line: ServedLine | undefined;
  #lookedMs = 0;
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
      onSituation: (...situation: Parameters<ServedLine['tellSituation']>) =>
        this.#line?.tellSituation(...situation),
    };
    this.#keeper = new HistoryKeeper(parts, data.plan);
  }

  start(): void {
    this.#keeper.follow(this.#data.dnsMemory);
    this.#keeper.tryOpen();
    this.#beat();
    this.#take();
    this.#write();
    this.#later('care', careEveryMs, () => this.#care());
    this.#later('prepare', prepareStepMs, () => this.#prepare());
    this.#send({ kind: 'ready' });
  }

  hear(message: ToHistory): void {
    switch (message.kind) {
      case 'plan':
        this.#keeper.setPlan(message.plan);
        return this.#send({ kind: 'planned' });
      case 'memory':
        return this.#keeper.follow(message.dnsMemory);
      case 'line':
        this.#line?.close();
        this.#line = new ServedLine(message.line, {
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

  #take(): void {
    const taken = this.#keeper.catchUp();
    this.#lookedMs = sharedClockMs();
    this.#later('take', taken >= muchAtOnce ? busyEveryMs : idleEveryMs, () => this.#take());
  }

  #write(): void {
    this.#keeper.everySecond();
    this.#line?.look();
    this.#later('write', writeEveryMs, () => this.#write());
  }

  #care(): void {
    const isMore = this.#keeper.care();
    this.#later('care', isMore ? careStepMs : careEveryMs, () => this.#care());
  }

  #prepare(): void {
    const budget = { limitMs: prepareMaxMs, clockMs: sharedClockMs, between: () => this.#between(0) };
    const isMore = this.#keeper.prepare(budget);
    this.#later('prepare', isMore ? prepareStepMs : writeEveryMs, () => this.#prepare());
  }

  /** A long question shows signs of life and lets no ring run over. */
  #between(workedMs: number): void {
    const nowMs = this.#rested(workedMs);
    if (nowMs - this.#lookedMs < betweenEveryMs) return;
    this.#lookedMs = nowMs;
    Atomics.add(this.#data.heartbeat, 0, 1);
    this.#keeper.meanwhile();
  }

  /** What time it is after a rest, if one was due. */
  #rested(workedMs: number): number {
    const nowMs = sharedClockMs();
    if (workedMs < restsFromMs || nowMs - this.#restedMs < restAfterMs) return nowMs;
    Atomics.wait(this.#rest, 0, 0, restMs);
    this.#restedMs = sharedClockMs();
    return this.#restedMs;
  }

  #stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#line?.close();
    this.#line = undefined;
    this.#keeper.close();
    this.#send({ kind: 'stopped' });
  }
}
