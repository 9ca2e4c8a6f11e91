// Messages between the api thread and the history thread on their own port. Questions have a number and a
// time limit. A cancelled question is marked in shared memory, because the history thread reads no message
// while it works on a question.

import type { SeenClient } from './seen-clients.ts';
import type { HistoryRow } from '../segments/page.ts';
import type { Answer, QuestionName } from './questions.ts';

/** A problem that the user should know about. */
export type SituationName = 'broken' | 'journal' | 'disk';

/** The host name of a client. */
export interface NamedClient {
  readonly address: string;
  /** '' when it has no name any more. */
  readonly name: string;
}

export type ToHistoryLine =
  | {
      readonly kind: 'ask';
      readonly number: number;
      readonly name: QuestionName;
      readonly question: unknown;
      /** How long the thread may work on it, without the time in the queue. */
      readonly limitMs: number;
    }
  /** Answered with `answer`: recent clients. */
  | { readonly kind: 'seen'; readonly number: number }
  /** Whether to send queries that come after `sinceMs`, by the clock that all threads share. */
  | { readonly kind: 'subscribe'; readonly isWanted: boolean; readonly sinceMs: number }
  | { readonly kind: 'names'; readonly names: readonly NamedClient[] };

export interface NewQueries {
  /** The oldest first. */
  readonly rows: readonly HistoryRow[];
  /** How many older ones came too and were not sent. */
  readonly skipped: number;
}

export type FromHistoryLine =
  | { readonly kind: 'answer'; readonly number: number; readonly answer: Answer<unknown> }
  | { readonly kind: 'queries'; readonly queries: NewQueries }
  /** Clients that are new or were not reported for a while: the api thread may send their names. */
  | { readonly kind: 'clients'; readonly addresses: readonly Uint8Array[] }
  /** Without a text the situation is over. */
  | { readonly kind: 'situation'; readonly name: SituationName; readonly text: string | undefined };

export type SeenResult = readonly SeenClient[];

/** Questions at once: each has a slot in the shared memory of cancelled questions. */
export const maxQuestions = 256;

export function makeCancelled(): SharedArrayBuffer {
  return new SharedArrayBuffer(maxQuestions * 4);
}

/** Numbers begin at 1. */
export function cancel(cancelled: Int32Array, number: number): void {
  return void Atomics.store(cancelled, number % maxQuestions, number);
}

export function isCancelled(cancelled: Int32Array, number: number): boolean {
  return Atomics.load(cancelled, number % maxQuestions) === number;
}
