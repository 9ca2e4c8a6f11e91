// What a reply means: an answer, a forgery, a truncated answer to be asked for again over TCP, or an error,
// such as a malformed message, after which the next upstream is asked. The rules are those of RFC 5452 (what
// to believe), RFC 7766 (truncation), RFC 6891 (servers without EDNS) and RFC 8914 (errors that are final).

import { Ede, Flag, messageFlags, Rcode, rcodeOf } from '#wire';
import type { CleanReply } from '../reply/clean-reply.ts';
import { ReplyCleaner } from '../reply/reply-cleaner.ts';
import type { Exchanges } from './exchanges.ts';
import type { ExchangeUpstream, Attempt, Exchange } from './exchange.ts';
import { errorReply, Fit, isServerError, withoutOpt } from './question-bytes.ts';

export class Replies {
  readonly #exchanges: Exchanges;
  readonly #nowMs: () => number;
  readonly #cleaner = new ReplyCleaner();

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
    if (wasUdp || !upstream.address.usesUdp) upstream.health.unreachable(nowMs);
    this.#exchanges.failed(attempt, nowMs);
  };

  /** A kept connection that broke deserves a second try; a check of the case ends without a result. */
  #triedAgain(attempt: Attempt, upstream: ExchangeUpstream, wasUdp: boolean, nowMs: number): boolean {
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
  #believesCase(attempt: Attempt, upstream: ExchangeUpstream, nowMs: number): boolean {
    if (upstream.caseHabit === 'changes') return true;
    attempt.isDoubted = true;
    if (upstream.caseHabit === 'unknown' && attempt.exchange !== undefined && !attempt.checksCase) {
      attempt.checksCase = true;
      this.#moveToConnection(attempt, upstream, nowMs);
    }
    return false;
  }

  #learnCase(attempt: Attempt, upstream: ExchangeUpstream, fit: number): void {
    if (!attempt.hasMixedCase) return;
    if (attempt.checksCase || (attempt.isDoubted && attempt.way?.isUdp !== true)) {
      // By TCP a reply cannot be forged: what the server does with the case is certain now.
      attempt.checksCase = false;
      upstream.caseHabit = fit === Fit.otherCase ? 'changes' : 'keeps';
    } else if (fit === Fit.exact && attempt.way?.isUdp === true) upstream.keptCase();
  }

  #weigh(
    attempt: Attempt,
    exchange: Exchange,
    upstream: ExchangeUpstream,
    bytes: Uint8Array,
    start: number,
    length: number,
    nowMs: number,
  ): void {
    const isWhole = attempt.way?.isUdp !== true || (messageFlags(bytes, start) & Flag.tc) === 0;
    const reply = this.#clean(exchange, bytes, start, length);
    if (!isWhole) {
      // Kept for the case that TCP fails: a truncated answer is still true.
      if (reply !== undefined) keepBad(exchange, reply, upstream);
      this.#moveToConnection(attempt, upstream, nowMs);
    } else if (reply === undefined) this.#weighMalformed(attempt, exchange, upstream, nowMs);
    else if (isServerError(reply.rcode)) this.#weighError(attempt, exchange, upstream, reply, nowMs);
    else {
      upstream.health.good();
      if (attempt.isPlain) upstream.isPlainOnly = true;
      this.#exchanges.release(attempt);
      this.#exchanges.finish(exchange, reply, upstream.index);
    }
  }

  /** The only check of a reply. */
  #clean(exchange: Exchange, bytes: Uint8Array, start: number, length: number): CleanReply | undefined {
    const { question, outcome } = exchange;
    if (question === undefined) return undefined;
    const reply = this.#cleaner.clean(bytes, start, length, question.name);
    if (this.#cleaner.foreign > 0) outcome?.onForeignRecords?.(this.#cleaner.foreign);
    return reply;
  }

  /** Nothing of it is believed; another upstream may do better. */
  #weighMalformed(attempt: Attempt, exchange: Exchange, upstream: ExchangeUpstream, nowMs: number): void {
    upstream.health.bad(nowMs);
    this.#exchanges.release(attempt);
    exchange.lastFailure = 'malformed';
    this.#exchanges.tryNextOrFinish(exchange, nowMs);
  }

  #weighError(
    attempt: Attempt,
    exchange: Exchange,
    upstream: ExchangeUpstream,
    reply: CleanReply,
    nowMs: number,
  ): void {
    if (this.#retriedPlainly(attempt, upstream, reply, nowMs)) return;
    const isFinal = isFinalError(reply.extendedError);
    if (!isFinal) upstream.health.bad(nowMs);
    this.#exchanges.release(attempt);
    if (isFinal) return this.#exchanges.finish(exchange, reply, upstream.index);
    keepBad(exchange, reply, upstream);
    this.#exchanges.tryNextOrFinish(exchange, nowMs);
  }

  /** FORMERR or NOTIMP without an OPT record: perhaps it is ours that is not understood. */
  #retriedPlainly(attempt: Attempt, upstream: ExchangeUpstream, reply: CleanReply, nowMs: number): boolean {
    const { rcode } = reply;
    if (rcode !== Rcode.formErr && rcode !== Rcode.notImp) return false;
    if (attempt.isPlain || reply.hasOpt) return false;
    const wasUdp = attempt.way?.isUdp === true;
    attempt.way?.forget(attempt);
    attempt.isPlain = true;
    attempt.length = withoutOpt(attempt.bytes, attempt.nameEnd + 4);
    return wasUdp ? upstream.send(attempt, nowMs) : upstream.sendByConnection(attempt, nowMs);
  }

  #moveToConnection(attempt: Attempt, upstream: ExchangeUpstream, nowMs: number): void {
    attempt.way?.forget(attempt);
    attempt.resends += 1;
    attempt.resendAtMs = Infinity;
    if (!upstream.sendByConnection(attempt, nowMs)) this.onBroken(attempt, false);
  }
}

function keepBad(exchange: Exchange, reply: CleanReply, upstream: ExchangeUpstream): void {
  exchange.lastBad = reply.copy();
  exchange.lastBadUpstream = upstream.index;
}

/**
 * A failed validation is an answer: another upstream, that perhaps does not validate, must not overrule it.
 * The same for a name that the upstream blocks on purpose.
 */
function isFinalError(extendedError: number): boolean {
  if (extendedError >= Ede.dnssecBogus && extendedError <= Ede.nsecMissing) return true;
  return extendedError >= Ede.blocked && extendedError <= Ede.filtered;
}
