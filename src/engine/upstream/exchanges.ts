// Runs each exchange from question to outcome: which upstream is asked first, when another is asked too, what
// a reply or a failure means for the exchange, and when it is over. It knows no sockets: upstreams send, and
// report what came.

import { fallbackPlace, noPlace } from './choose.ts';
import { type ExchangeUpstream, Attempt, type Candidates, Exchange } from './exchange.ts';
import type { CleanReply } from '../reply/clean-reply.ts';
import type { ForwardFailure, ForwardOutcome, Question } from './forwarding.ts';
import { Rank } from './health.ts';
import { writeTemplate } from './question-bytes.ts';

export interface Timeouts {
  /** From question to outcome. */
  readonly overallMs: number;
  /** Until a lost datagram is sent again; doubled each time. */
  readonly resendMs: number;
}

export const defaultTimeouts: Timeouts = { overallMs: 4000, resendMs: 400 };

const maxResends = 3;
/** Attempts that are kept for each upstream after their exchange is over. */
const maxDetached = 64;
const detachedMs = 2000;
const maxPooled = 4096;
/** Between looks whether the main upstreams have been silent long enough. */
const fallbackCheckMs = 100;

export class Exchanges {
  timeouts: Timeouts = defaultTimeouts;
  readonly #exchanges: Exchange[] = [];
  readonly #attempts: Attempt[] = [];
  readonly #freeExchanges: Exchange[] = [];
  readonly #freeAttempts: Attempt[] = [];
  /** Asked by clients. */
  questions = 0;

  /** Everything under way, our own probes and late replies included. */
  get inFlight(): number {
    return this.#exchanges.length + this.#attempts.length;
  }

  start(
    group: Candidates,
    question: Question,
    outcome: ForwardOutcome,
    isClients: boolean,
    nowMs: number,
  ): void {
    const exchange = this.#freeExchanges.pop() ?? new Exchange();
    exchange.question = question;
    exchange.length = writeTemplate(exchange.template, question);
    exchange.nameEnd = exchange.length - 15;
    exchange.group = group;
    exchange.outcome = outcome;
    exchange.isClients = isClients;
    exchange.deadlineMs = nowMs + this.timeouts.overallMs;
    exchange.position = this.#exchanges.length;
    this.#exchanges.push(exchange);
    if (isClients) this.questions += 1;
    this.#startFirst(exchange, group, nowMs);
  }

  /** The upstream could not be asked, or a connection broke. */
  failed(attempt: Attempt, nowMs: number): void {
    const { exchange } = attempt;
    this.release(attempt);
    if (exchange === undefined) return;
    exchange.lastFailure = 'unreachable';
    this.tryNextOrFinish(exchange, nowMs);
  }

  tryNextOrFinish(exchange: Exchange, nowMs: number): void {
    if (this.#startNext(exchange, nowMs) || exchange.attempts.length > 0) return;
    this.#giveUp(exchange);
  }

  tick(nowMs: number): void {
    for (let at = this.#exchanges.length - 1; at >= 0; at -= 1) {
      const exchange = this.#exchanges[at];
      if (exchange === undefined) continue;
      if (nowMs >= exchange.deadlineMs) this.#timeOut(exchange, nowMs);
      else if (nowMs >= exchange.hedgeAtMs) this.#hedge(exchange, nowMs);
    }
    for (let at = this.#attempts.length - 1; at >= 0; at -= 1) {
      const attempt = this.#attempts[at];
      if (attempt === undefined) continue;
      if (nowMs >= attempt.deadlineMs) this.#expire(attempt, nowMs);
      else if (nowMs >= attempt.resendAtMs) this.#resend(attempt, nowMs);
    }
  }

  /** The outcome is called last: it may ask the next question, and all of this can be used again by then. */
  finish(exchange: Exchange, reply: CleanReply, upstream: number): void {
    const outcome = exchange.outcome;
    this.#end(exchange);
    outcome?.onReply(reply, upstream);
  }

  release(attempt: Attempt): void {
    attempt.way?.forget(attempt);
    const exchange = attempt.exchange;
    if (exchange === undefined) {
      if (attempt.upstream !== undefined) attempt.upstream.detached -= 1;
    } else {
      removeFrom(exchange.attempts, attempt);
    }
    removeAt(this.#attempts, attempt.position);
    attempt.exchange = undefined;
    attempt.upstream = undefined;
    if (this.#freeAttempts.length < maxPooled) this.#freeAttempts.push(attempt);
  }

  /** Ends all with a failure; for the end of the program. */
  close(): void {
    for (const exchange of this.#exchanges.slice()) this.#fail(exchange, 'unreachable');
    for (const attempt of this.#attempts.slice()) this.release(attempt);
  }

  #startFirst(exchange: Exchange, group: Candidates, nowMs: number): void {
    if (exchange.length === 0 || group.isEmpty) return this.#fail(exchange, 'no upstream');
    if (!this.#startNext(exchange, nowMs)) return this.#fail(exchange, group.isLoop ? 'loop' : 'unreachable');
    if (group.mode === 'parallel') this.#startOthers(exchange, group, nowMs);
    else if (group.mode === 'fastest')
      this.#startAt(exchange, group.measure(exchange.triedMain, nowMs), nowMs);
  }

  /** All but those that are known to be down, which are asked only when there is no other. */
  #startOthers(exchange: Exchange, group: Candidates, nowMs: number): void {
    for (let place = 0; place < group.main.length; place += 1) {
      const upstream = group.main[place];
      const isAsked = (exchange.triedMain & (1 << place)) !== 0;
      if (isAsked || upstream === undefined || upstream.isLoop) continue;
      if (upstream.health.rank < Rank.down) this.#startAt(exchange, place, nowMs);
    }
  }

  /** Asks the best of those that were not asked, as long as asking itself fails. */
  #startNext(exchange: Exchange, nowMs: number): boolean {
    const { group } = exchange;
    if (group === undefined) return false;
    for (;;) {
      const withFallback = group.hasFallback && isMainOver(exchange, group, nowMs);
      const place = group.next(exchange.triedMain, exchange.triedFallback, withFallback);
      if (place === noPlace) return false;
      if (this.#startAt(exchange, place, nowMs)) return true;
    }
  }

  #startAt(exchange: Exchange, place: number, nowMs: number): boolean {
    const upstream = exchange.group?.at(place);
    if (upstream === undefined) return false;
    if (place >= fallbackPlace) exchange.triedFallback |= 1 << (place - fallbackPlace);
    else exchange.triedMain |= 1 << place;
    exchange.lastUpstream = upstream.index;
    const attempt = this.#open(exchange, upstream, nowMs);
    if (upstream.start(attempt, nowMs)) {
      exchange.hedgeAtMs = Math.min(exchange.hedgeAtMs, nowMs + upstream.hedgeDelayMs());
      return true;
    }
    upstream.health.unreachable(nowMs);
    exchange.lastFailure = 'unreachable';
    this.release(attempt);
    return false;
  }

  #open(exchange: Exchange, upstream: ExchangeUpstream, nowMs: number): Attempt {
    const attempt = this.#freeAttempts.pop() ?? new Attempt();
    attempt.exchange = exchange;
    attempt.upstream = upstream;
    attempt.sentAtMs = nowMs;
    attempt.deadlineMs = exchange.deadlineMs;
    attempt.resendAtMs = nowMs + this.timeouts.resendMs;
    attempt.resends = 0;
    attempt.isSecondTry = false;
    attempt.checksCase = false;
    attempt.isDoubted = false;
    attempt.isPlain = false;
    attempt.position = this.#attempts.length;
    this.#attempts.push(attempt);
    exchange.attempts.push(attempt);
    upstream.health.queries += 1;
    return attempt;
  }

  /**
   * The answer is late: the upstreams that have not replied are suspected, and the next one is asked as well.
   */
  #hedge(exchange: Exchange, nowMs: number): void {
    exchange.hedgeAtMs = Infinity;
    for (const { upstream, sentAtMs } of exchange.attempts) {
      if (upstream !== undefined && nowMs - sentAtMs >= upstream.hedgeDelayMs())
        upstream.health.late(sentAtMs, nowMs);
    }
    if (this.#startNext(exchange, nowMs)) return;
    if (exchange.group?.hasFallback === true) exchange.hedgeAtMs = nowMs + fallbackCheckMs;
    if (exchange.lastBad === undefined) return;
    // One has answered with an error and the others are silent: that error is all there will be.
    if (!exchange.attempts.some((attempt) => attempt.upstream?.health.rank === Rank.healthy))
      this.#giveUp(exchange);
  }

  /** A datagram may be lost; streams repeat by themselves. */
  #resend(attempt: Attempt, nowMs: number): void {
    attempt.resendAtMs = Infinity;
    if (attempt.exchange === undefined || attempt.resends >= maxResends) return;
    if (attempt.isDoubted) return this.#resendByTcp(attempt, nowMs);
    if (attempt.way?.resend(attempt) !== true) return;
    attempt.resends += 1;
    attempt.resendAtMs = nowMs + this.timeouts.resendMs * 2 ** attempt.resends;
  }

  #resendByTcp(attempt: Attempt, nowMs: number): void {
    attempt.way?.forget(attempt);
    attempt.resends += 1;
    if (attempt.upstream?.sendByConnection(attempt, nowMs) !== true) this.failed(attempt, nowMs);
  }

  #expire(attempt: Attempt, nowMs: number): void {
    attempt.upstream?.health.timedOut(attempt.sentAtMs, nowMs);
    const { exchange } = attempt;
    this.release(attempt);
    if (exchange !== undefined && exchange.attempts.length === 0) this.#giveUp(exchange);
  }

  #timeOut(exchange: Exchange, nowMs: number): void {
    exchange.lastFailure = 'timeout';
    while (exchange.attempts.length > 0) {
      const attempt = exchange.attempts.at(-1);
      if (attempt === undefined) break;
      attempt.upstream?.health.timedOut(attempt.sentAtMs, nowMs);
      this.release(attempt);
    }
    this.#giveUp(exchange);
  }

  /** The last error reply is better than none: it says what upstreams think of the name. */
  #giveUp(exchange: Exchange): void {
    const reply = exchange.lastBad;
    if (reply === undefined) this.#fail(exchange, exchange.lastFailure);
    else this.finish(exchange, reply, exchange.lastBadUpstream);
  }

  #fail(exchange: Exchange, failure: ForwardFailure): void {
    const { outcome, lastUpstream } = exchange;
    this.#end(exchange);
    outcome?.onFailure(failure, lastUpstream);
  }

  #end(exchange: Exchange): void {
    while (exchange.attempts.length > 0) {
      const attempt = exchange.attempts.at(-1);
      if (attempt === undefined) break;
      this.#detach(attempt, exchange);
    }
    if (exchange.isClients) this.questions -= 1;
    removeAt(this.#exchanges, exchange.position);
    exchange.question = undefined;
    exchange.outcome = undefined;
    exchange.group = undefined;
    exchange.lastBad = undefined;
    exchange.lastBadUpstream = -1;
    exchange.lastUpstream = -1;
    exchange.lastFailure = 'timeout';
    exchange.triedMain = 0;
    exchange.triedFallback = 0;
    exchange.hedgeAtMs = Infinity;
    if (this.#freeExchanges.length < maxPooled) this.#freeExchanges.push(exchange);
  }

  /** Some attempts stay open a while, because a reply still tells that the upstream lives, and how fast. */
  #detach(attempt: Attempt, exchange: Exchange): void {
    const { upstream } = attempt;
    if (upstream === undefined || upstream.detached >= maxDetached || attempt.way === undefined) {
      this.release(attempt);
      return;
    }
    exchange.attempts.pop();
    attempt.exchange = undefined;
    attempt.deadlineMs = Math.min(attempt.deadlineMs, attempt.sentAtMs + detachedMs);
    upstream.detached += 1;
  }
}

/** All main upstreams have failed in this exchange, or are silent for long. */
function isMainOver(exchange: Exchange, group: Candidates, nowMs: number): boolean {
  for (let place = 0; place < group.main.length; place += 1) {
    const upstream = group.main[place];
    if (upstream === undefined || upstream.isLoop || upstream.health.isGivenUp(nowMs)) continue;
    const isAsked = (exchange.triedMain & (1 << place)) !== 0;
    if (!isAsked || exchange.attempts.some((attempt) => attempt.upstream === upstream)) return false;
  }
  return true;
}

/** The order of attempts does not matter, so the last one can take the place. */
function removeFrom(attempts: Attempt[], gone: Attempt): void {
  const last = attempts.pop();
  if (last === undefined || last === gone) return;
  const at = attempts.indexOf(gone);
  if (at >= 0) attempts[at] = last;
  else attempts.push(last);
}

/** Takes an item out of a list whose items know their places; the last one moves to the gap. */
function removeAt(list: { position: number }[], position: number): void {
  const last = list.pop();
  if (last === undefined) return;
  const gone = position < list.length ? list[position] : undefined;
  if (gone !== undefined) {
    list[position] = last;
    last.position = position;
  }
}
