// Messages between the supervisor and the history thread: plain data, shared memory, and the port through
// which the api thread talks to the history thread directly.

import type { MessagePort } from 'node:worker_threads';
import type { HistoryPlan } from './history-plan.ts';

/** Shared memory that a dns worker writes for other threads. */
export interface DnsTraces {
  /** Records of answered queries. */
  readonly records: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
}

/** One end of the port between the history thread and the api thread. */
export interface HistoryLine {
  readonly port: MessagePort;
  /** Numbers of cancelled questions: the history thread sees them while it works on one. */
  readonly cancelled: SharedArrayBuffer;
}

/** The data that the history thread starts with. */
export interface HistoryThreadData {
  readonly dataDir: string;
  readonly compileCacheDir: string;
  /** Incremented while the thread is alive. */
  readonly heartbeat: Int32Array;
  readonly plan: HistoryPlan;
  readonly dnsMemory: readonly DnsTraces[];
  /** Random, so that an attacker cannot choose names or addresses that collide in the cache. */
  readonly seeds: readonly [number, number];
}

export type ToHistory =
  /** Answered with `planned` once new records are stored by this plan. */
  | { readonly kind: 'plan'; readonly plan: HistoryPlan }
  /** The current workers. */
  | { readonly kind: 'memory'; readonly dnsMemory: readonly DnsTraces[] }
  /** The port to a new api thread. */
  | { readonly kind: 'line'; readonly line: HistoryLine }
  /** Write everything, then answer with `stopped`. */
  | { readonly kind: 'stop' };

export type FromHistory =
  | { readonly kind: 'ready' }
  | { readonly kind: 'planned' }
  | { readonly kind: 'notice'; readonly level: 'error' | 'warn' | 'info'; readonly text: string }
  | { readonly kind: 'stopped' };
