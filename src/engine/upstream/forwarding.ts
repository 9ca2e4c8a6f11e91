// What the rest of the engine asks of upstreams: one question, and exactly one outcome for it. Which upstream
// is asked, how, how often and for how long is decided behind this interface.

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
  /** Whoever replied sent a message that is not sound. */
  | 'malformed'
  /** Too many questions are in flight. */
  | 'busy';

export interface ForwardOutcome {
  /**
   * A whole and sound message that answers the question: id, question and source are checked; valid during
   * the call. Which of its records belong to the question is for the one who reads it to find out.
   * Its question has the case of letters that was sent upstream, not the client's.
   */
  onReply(bytes: Uint8Array, start: number, length: number, upstream: number): void;
  /** `upstream` is the last one asked, -1 when none was. */
  onFailure(failure: ForwardFailure, upstream: number): void;
}

export interface Forwarder {
  /** May call `outcome` before it returns when it can tell at once. */
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
