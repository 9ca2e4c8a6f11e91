// What the rest of the engine asks of upstreams: one question, and exactly one outcome for it. Which upstream
// is asked, how, how often and for how long is decided behind this interface.

import type { CleanReply } from '../reply/clean-reply.ts';

/** A question as it goes upstream; equal questions in flight are asked once. */
export interface Question {
  /** Lower-cased wire bytes that end with the root label. */
  readonly name: Uint8Array;
  readonly type: number;
  readonly class: number;
  readonly dnssecOk: boolean;
  readonly checkingDisabled: boolean;
}

export type ForwardFailure =
  /** No upstream is set, or none serves this name. */
  | 'no upstream'
  /** All that are set form a loop back to us. */
  | 'loop'
  | 'timeout'
  | 'unreachable'
  /** The replies were not sound, or answered another question. */
  | 'malformed'
  /** Too many questions are in flight. */
  | 'busy';

export interface ForwardOutcome {
  /**
   * A whole message that answers the question; id, question and source are checked too. Valid during the
   * call. Its question has the case of letters that was sent upstream, not the client's.
   */
  onReply(reply: CleanReply, upstream: number): void;
  /** `upstream` is the last one asked, -1 when none was. */
  onFailure(failure: ForwardFailure, upstream: number): void;
  /** So many records of a reply were dropped because they do not belong to the question; before its end. */
  onForeignRecords?(count: number): void;
}

export interface Forwarder {
  /** May call `outcome` before it returns when the outcome is known at once. */
  forward(question: Question, outcome: ForwardOutcome): void;
  /**
   * Looks at deadlines; to be called at least every 10 ms or so while `inFlight` is not 0, and every second
   * or so otherwise: idle sockets are closed, and upstreams that fell silent are probed.
   */
  tick(nowMs: number): void;
  /** Questions under way, our own probes and late replies included. */
  readonly inFlight: number;
  close(): void;
}
