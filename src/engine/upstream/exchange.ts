// The two objects of a question in flight: the exchange (one question, one outcome) and its attempts (one
// upstream asked once). Both are taken from pools and given back, and hold their own bytes, so that a
// forwarded question allocates nothing once the pools have grown.

import type { CleanReply } from '../reply/clean-reply.ts';
import type { ForwardFailure, ForwardOutcome, Question } from './forwarding.ts';
import type { Health } from './health.ts';
import type { UpstreamAddress } from './parse-upstream.ts';
import { maxQueryBytes } from './question-bytes.ts';

/** What is known of a server's way with the case of letters in a question. */
export type CaseHabit = 'unknown' | 'keeps' | 'changes';

/** An upstream, as far as an exchange has to do with it. */
export interface ExchangeUpstream {
  readonly index: number;
  readonly address: UpstreamAddress;
  readonly health: Health;
  /** Queries come back to us: it is not used. */
  readonly isLoop: boolean;
  caseHabit: CaseHabit;
  /** It does not understand OPT records. */
  isPlainOnly: boolean;
  /** Why it could not be asked, in the words of the system; '' when that never happened. */
  lastError: string;
  /** Attempts whose exchange is over, kept to see whether a reply still comes. */
  detached: number;
  /** Fills in the attempt's bytes from the exchange's template and sends them; false when that cannot be. */
  start(attempt: Attempt, nowMs: number): boolean;
  /** Sends the attempt's bytes with a new id by the upstream's usual way. */
  send(attempt: Attempt, nowMs: number): boolean;
  /** By TCP for plain DNS, by the kept connection for the others. */
  sendByConnection(attempt: Attempt, nowMs: number): boolean;
  /** A reply came in the case that was asked, which proves something when letters were mixed. */
  keptCase(): void;
  /** How long to wait for it before another one is asked as well. */
  hedgeDelayMs(): number;
}

export type Mode = 'fastest' | 'strict' | 'parallel';

/** The upstreams that can be asked, and in which order. A place identifies one; `noPlace` stands for none. */
export interface Candidates {
  readonly mode: Mode;
  readonly main: readonly ExchangeUpstream[];
  readonly isEmpty: boolean;
  readonly hasFallback: boolean;
  /** All of them are loops. */
  readonly isLoop: boolean;
  at(place: number): ExchangeUpstream | undefined;
  /** The best that was not asked yet; `noPlace` when all were. */
  next(triedMain: number, triedFallback: number, withFallback: boolean): number;
  /** Another healthy one, now and then, whose time is to be measured by asking it as well. */
  measure(triedMain: number, nowMs: number): number;
}

/** Where an attempt is registered under its id: a UDP channel, a connection, or the wait for an address. */
export interface Way {
  readonly isUdp: boolean;
  /** Sends the same bytes once more; false when that makes no sense here. */
  resend(attempt: Attempt): boolean;
  /** The attempt is over: its id is free, and a reply to it is ignored. */
  forget(attempt: Attempt): void;
}

export class Attempt {
  /** None: the exchange is over, and a reply counts for the upstream's health only. */
  exchange: Exchange | undefined;
  upstream: ExchangeUpstream | undefined;
  way: Way | undefined;
  id = 0;
  /** Place in the list of open attempts. */
  position = -1;
  sentAtMs = 0;
  resendAtMs = Infinity;
  deadlineMs = Infinity;
  resends = 0;
  /** The connection broke and the question went out once more on a new one. */
  isSecondTry = false;
  /** A reply in the wrong case is being looked at again over TCP. */
  checksCase = false;
  /**
   * A reply in the wrong case came from a server that keeps it: repeated by TCP, where a reply cannot be
   * forged.
   */
  isDoubted = false;
  /** Without an OPT record, because the upstream did not understand it. */
  isPlain = false;
  hasMixedCase = false;
  readonly bytes = new Uint8Array(maxQueryBytes);
  length = 0;
  /** Just behind the name, and just behind the question. */
  nameEnd = 0;
  questionEnd = 0;
}

export class Exchange {
  question: Question | undefined;
  group: Candidates | undefined;
  outcome: ForwardOutcome | undefined;
  /** Asked by a client, and counted against the limit; the others are our own. */
  isClients = false;
  /** Place in the list of exchanges. */
  position = -1;
  deadlineMs = 0;
  hedgeAtMs = Infinity;
  /** Bit per place in the group. */
  triedMain = 0;
  triedFallback = 0;
  readonly attempts: Attempt[] = [];
  /** A copy of an error reply or a truncated one, passed on when no better one comes. */
  lastBad: CleanReply | undefined;
  lastBadUpstream = -1;
  lastUpstream = -1;
  lastFailure: ForwardFailure = 'timeout';
  /** The query with its name in lower case and id 0. */
  readonly template = new Uint8Array(maxQueryBytes);
  length = 0;
  nameEnd = 0;
}
