// What a reply means: an answer, a lie, a piece to be asked for again over TCP, or an error that another
// upstream may not have, as a malformed message is one. The rules are those of RFC 5452 (what to believe),
// RFC 7766 (truncation), RFC 6891 (servers without EDNS) and RFC 8914 (errors that are final).

import { additionalCount, Ede, extendedError, Flag, MessageCheck, messageFlags, Rcode, rcodeOf } from '#wire';
import { AnswersQuestion } from '../reply/answers-question.ts';
import type { Exchanges } from './exchanges.ts';
import type { AskedUpstream, Attempt, Exchange } from './exchange.ts';
import { errorReply, Fit, isServerError, withoutOpt } from './question-bytes.ts';

export class Replies {
  readonly #exchanges: Exchanges;
  readonly #nowMs: () => number;
  readonly #check = new MessageCheck();
  readonly #answers = new AnswersQuestion();

  constructor(exchanges: Exchanges, nowMs: () => number) {
    this.#exchanges = exchanges;
    this.#nowMs = nowMs;
  }

  readonly onReply = (
    attempt: Attempt,
    fit: number,
    bytes: Uint8Array,
    start: number,
    length: number,
  ): void => {
    const { upstream, exchange, way } = attempt;
    if (upstream === undefined || way === undefined) return;
    const nowMs = this.#nowMs();
    if (way.isUdp && fit === Fit.otherCase && !this.#believesCase(attempt, upstream, nowMs)) return;
    upstream.health.replied(nowMs, attempt.resends === 0 ? nowMs - attempt.sentAtMs : -1);
    if (exchange === undefined) return this.#exchanges.release(attempt);
    this.#learnCase(attempt, upstream, fit);
    if (fit === Fit.errorWithoutQuestion) {
      const made = errorReply(attempt.bytes, attempt.nameEnd + 4, rcodeOf(bytes, start));
      this.#weigh(attempt, exchange, upstream, made, 0, made.length, nowMs);
    } else this.#weigh(attempt, exchange, upstream, bytes, start, length, nowMs);
  };

  /** A connection or socket gave up on the attempt, which has no way any more. */
  readonly onBroken = (attempt: Attempt, wasUdp: boolean): void => {
    const { upstream } = attempt;
    if (upstream === undefined) return;
    const nowMs = this.#nowMs();
    if (attempt.exchange !== undefined && this.#triedAgain(attempt, upstream, wasUdp, nowMs)) return;
    // Plain DNS lives by UDP: a server that refuses TCP is not ill.
    if (wasUdp || upstream.address.kind !== 'udp') upstream.health.unreachable(nowMs);
    this.#exchanges.failed(attempt, nowMs);
  };

  /** A kept connection that broke deserves a second try; a check of the case ends without a result. */
  #triedAgain(attempt: Attempt, upstream: AskedUpstream, wasUdp: boolean, nowMs: number): boolean {
    if (attempt.checksCase) {
      if (upstream.caseHabit === 'unknown') upstream.caseHabit = 'changes';
      attempt.checksCase = false;
      return upstream.start(attempt, nowMs);
    }
    if (wasUdp || attempt.isSecondTry) return false;
    attempt.isSecondTry = true;
    return upstream.sendByConnection(attempt, nowMs);
  }

  /** Whether a UDP reply in another case counts. From a server that keeps the case it is a forgery. */
  #believesCase(attempt: Attempt, upstream: AskedUpstream, nowMs: number): boolean {
    if (upstream.caseHabit === 'changes') return true;
    attempt.isDoubted = true;
    if (upstream.caseHabit === 'unknown' && attempt.exchange !== undefined && !attempt.checksCase) {
      attempt.checksCase = true;
      this.#moveToConnection(attempt, upstream, nowMs);
    }
    return false;
  }

  #learnCase(attempt: Attempt, upstream: AskedUpstream, fit: number): void {
    if (!attempt.hasMixedCase) return;
    if (attempt.checksCase || (attempt.isDoubted && attempt.way?.isUdp !== true)) {
      // By TCP, where nobody else can speak: what the server does with the case is certain now.
      attempt.checksCase = false;
      upstream.caseHabit = fit === Fit.otherCase ? 'changes' : 'keeps';
    } else if (fit === Fit.exact && attempt.way?.isUdp === true) upstream.keptCase();
  }

  #weigh(
    attempt: Attempt,
    exchange: Exchange,
    upstream: AskedUpstream,
    bytes: Uint8Array,
    start: number,
    length: number,
    nowMs: number,
  ): void {
    const isWhole = attempt.way?.isUdp !== true || (messageFlags(bytes, start) & Flag.tc) === 0;
    const isSound = this.#isSound(bytes, start, length);
    if (isWhole && !isSound) this.#weighMalformed(attempt, exchange, upstream, nowMs);
    else if (isWhole && !isServerError(rcodeOf(bytes, start))) {
      upstream.health.good();
      if (attempt.isPlain) upstream.isPlainOnly = true;
      this.#exchanges.release(attempt);
      this.#exchanges.finish(exchange, bytes, start, length, upstream.index);
    } else if (!isWhole) {
      // Kept for the case that TCP fails: a truncated answer is still true.
      if (isSound) keepBad(exchange, bytes, start, length, upstream);
      this.#moveToConnection(attempt, upstream, nowMs);
    } else this.#weighError(attempt, exchange, upstream, bytes, start, length, nowMs);
  }

  #isSound(bytes: Uint8Array, start: number, length: number): boolean {
    return this.#check.isSound(bytes, start, length) && this.#answers.isMet(bytes, start, length);
  }

  /** Nothing of it is believed; another upstream may do better. */
  #weighMalformed(attempt: Attempt, exchange: Exchange, upstream: AskedUpstream, nowMs: number): void {
    upstream.health.bad(nowMs);
    this.#exchanges.release(attempt);
    exchange.lastFailure = 'malformed';
    this.#exchanges.askNextOrFinish(exchange, nowMs);
  }

  #weighError(
    attempt: Attempt,
    exchange: Exchange,
    upstream: AskedUpstream,
    bytes: Uint8Array,
    start: number,
    length: number,
    nowMs: number,
  ): void {
    if (this.#askedPlainly(attempt, upstream, bytes, start, nowMs)) return;
    const isFinal = isFinalError(bytes, start, length);
    if (!isFinal) upstream.health.bad(nowMs);
    this.#exchanges.release(attempt);
    if (isFinal) return this.#exchanges.finish(exchange, bytes, start, length, upstream.index);
    keepBad(exchange, bytes, start, length, upstream);
    this.#exchanges.askNextOrFinish(exchange, nowMs);
  }

  /** FORMERR or NOTIMP without an OPT record: perhaps it is ours that is not understood. */
  #askedPlainly(
    attempt: Attempt,
    upstream: AskedUpstream,
    bytes: Uint8Array,
    start: number,
    nowMs: number,
  ): boolean {
    const rcode = rcodeOf(bytes, start);
    if (rcode !== Rcode.formErr && rcode !== Rcode.notImp) return false;
    if (attempt.isPlain || additionalCount(bytes, start) > 0) return false;
    const wasUdp = attempt.way?.isUdp === true;
    attempt.way?.forget(attempt);
    attempt.isPlain = true;
    attempt.length = withoutOpt(attempt.bytes, attempt.nameEnd + 4);
    return wasUdp ? upstream.send(attempt, nowMs) : upstream.sendByConnection(attempt, nowMs);
  }

  #moveToConnection(attempt: Attempt, upstream: AskedUpstream, nowMs: number): void {
    attempt.way?.forget(attempt);
    attempt.resends += 1;
    attempt.resendAtMs = Infinity;
    if (!upstream.sendByConnection(attempt, nowMs)) this.onBroken(attempt, false);
  }
}

const keepBad = (
  exchange: Exchange,
  bytes: Uint8Array,
  start: number,
  length: number,
  upstream: AskedUpstream,
): void => {
  // By the constructor, because `slice` of a Buffer would not copy.
  exchange.lastBad = new Uint8Array(bytes.subarray(start, start + length));
  exchange.lastBadUpstream = upstream.index;
};

/**
 * A failed validation is an answer: another upstream, that perhaps does not validate, must not overrule it.
 * The same for a name that the upstream blocks on purpose.
 */
const isFinalError = (bytes: Uint8Array, start: number, length: number): boolean => {
  const code = extendedError(bytes, start, length);
  if (code >= Ede.dnssecBogus && code <= Ede.nsecMissing) return true;
  return code >= Ede.blocked && code <= Ede.filtered;
};
