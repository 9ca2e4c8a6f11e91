// What the supervisor and the history thread say to each other: plain data, shared memory, and the port by
// which the api thread speaks to it without coming by main.

import type { MessagePort } from 'node:worker_threads';
import type { HistoryPlan } from './history-plan.ts';

/** What a dns worker leaves in shared memory for other threads to read. */
export interface DnsTraces {
  /** Records of answered queries. */
  readonly records: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
}

/** The history thread's end, and the api thread's, of the way between them. */
export interface HistoryLine {
  readonly port: MessagePort;
  /** The numbers of questions that nobody waits for any more: the thread sees them while it works. */
  readonly cancelled: SharedArrayBuffer;
}

/** What the history thread is given when it starts. */
export interface HistoryThreadData {
  readonly dataDir: string;
  readonly compileCacheDir: string;
  /** Counts up while the thread lives. */
  readonly heartbeat: Int32Array;
  readonly plan: HistoryPlan;
  readonly dnsMemory: readonly DnsTraces[];
  /** Random, so that nobody outside can choose names or addresses that meet in one place. */
  readonly seeds: readonly [number, number];
}

export type ToHistory =
  /** To be answered with `planned` once everything that comes is remembered by it. */
  | { readonly kind: 'plan'; readonly plan: HistoryPlan }
  /** The workers that there are now. */
  | { readonly kind: 'memory'; readonly dnsMemory: readonly DnsTraces[] }
  /** A new api thread, or the first one. */
  | { readonly kind: 'line'; readonly line: HistoryLine }
  /** Everything is to be written; to be answered with `stopped`. */
  | { readonly kind: 'stop' };

export type FromHistory =
  | { readonly kind: 'ready' }
  | { readonly kind: 'planned' }
  | { readonly kind: 'notice'; readonly level: 'error' | 'warn' | 'info'; readonly text: string }
  | { readonly kind: 'stopped' };
