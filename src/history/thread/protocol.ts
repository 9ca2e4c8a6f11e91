// What the api thread and the history thread say to each other on their own line. Questions have a number
// and a limit of time; a question whose caller has given up is marked in shared memory, because the thread
// that works on it reads no message meanwhile.

import type { SeenClient } from './seen-clients.ts';
import type { HistoryRow } from '../segments/page.ts';
import type { Answer, QuestionName } from './questions.ts';

/** A situation that a person should know of. */
export type SituationName = 'broken' | 'journal' | 'disk';

/** The host name of a client. */
export interface NamedClient {
  readonly address: string;
  /** '': it has none any more. */
  readonly name: string;
}

export type ToHistoryLine =
  | {
      readonly kind: 'ask';
      readonly number: number;
      readonly name: QuestionName;
      readonly question: unknown;
      /** How long the thread may work on it. The wait for its turn does not count. */
      readonly limitMs: number;
    }
  /** To be answered with `told`: who has asked lately. */
  | { readonly kind: 'seen'; readonly number: number }
  /** Whether queries that came after `sinceMs`, by the clock that all threads share, are to be told. */
  | { readonly kind: 'follow'; readonly isWanted: boolean; readonly sinceMs: number }
  | { readonly kind: 'names'; readonly names: readonly NamedClient[] };

export interface NewQueries {
  /** The oldest first. */
  readonly rows: readonly HistoryRow[];
  /** How many older ones came too, and are not told. */
  readonly skipped: number;
}

export type FromHistoryLine =
  | { readonly kind: 'told'; readonly number: number; readonly answer: Answer<unknown> }
  | { readonly kind: 'queries'; readonly queries: NewQueries }
  /** Who asked for the first time, or after a long while: it may be told what they are called. */
  | { readonly kind: 'clients'; readonly addresses: readonly Uint8Array[] }
  /** Without a text it is over. */
  | { readonly kind: 'situation'; readonly name: SituationName; readonly text: string | undefined };

export type SeenResult = readonly SeenClient[];

/** Questions under way at once, so that each has a place in the memory of those that are cancelled. */
export const questionsMax = 256;

export function makeCancelled(): SharedArrayBuffer {
  return new SharedArrayBuffer(questionsMax * 4);
}

/** Numbers begin at 1. */
export function cancel(cancelled: Int32Array, number: number): void {
  return void Atomics.store(cancelled, number % questionsMax, number);
}

export function isCancelled(cancelled: Int32Array, number: number): boolean {
  return Atomics.load(cancelled, number % questionsMax) === number;
}
