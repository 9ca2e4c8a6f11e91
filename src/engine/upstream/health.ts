// What is known of an upstream's health. It is suspected as soon as a question is late and nothing has come
// since it was sent: from then on others are asked first, so that an upstream that dies delays one question
// and not each. It is down when the suspicion lasts; any reply ends both. While suspected it is probed in the
// background.

const minHedgeMs = 50;
export const maxHedgeMs = 400;
/** For an upstream that was never measured. */
const hedgeUnknownMs = 200;
const hedgeFactor = 3;
const downAfterMs = 2000;
const probeFirstMs = 250;
const maxProbeMs = 10_000;
const rttWeight = 0.25;
/** So many error replies in a row, with no good one between them, and others are asked first. */
const maxBadReplies = 8;

export const Rank = { healthy: 0, suspected: 1, down: 2 } as const;

export class Health {
  /** Smoothed round trip; -1 before the first reply. */
  rttMs = -1;
  rank: number = Rank.healthy;
  queries = 0;
  /** Broken connections, unreachable addresses and error replies. */
  failures = 0;
  timeouts = 0;
  /** How many round trips were measured, and their sum. */
  measured = 0;
  measuredMs = 0;
  /** When the last good reply came. */
  goodMs = -Infinity;
  /** When it failed last: late with nothing since, unreachable, or only error replies. */
  failedMs = -Infinity;
  #lastReplyMs = -Infinity;
  #suspectedAtMs = 0;
  #badReplies = 0;
  #probeAtMs = Infinity;
  #probeDelayMs = probeFirstMs;

  hedgeDelayMs(): number {
    if (this.rttMs < 0) return hedgeUnknownMs;
    return Math.min(maxHedgeMs, Math.max(minHedgeMs, this.rttMs * hedgeFactor));
  }

  /** Silent for so long that the fallback upstreams are asked, where there are any. */
  isGivenUp(nowMs: number): boolean {
    if (this.rank === Rank.suspected) return nowMs - this.#suspectedAtMs >= maxHedgeMs;
    return this.rank === Rank.down;
  }

  /** A negative round trip is not measured: the question was sent more than once. */
  replied(nowMs: number, roundTripMs: number): void {
    this.#lastReplyMs = nowMs;
    if (roundTripMs >= 0) {
      this.measured += 1;
      this.measuredMs += roundTripMs;
      this.rttMs = this.rttMs < 0 ? roundTripMs : this.rttMs + (roundTripMs - this.rttMs) * rttWeight;
    }
    if (this.#badReplies < maxBadReplies) this.#recover();
  }

  /** The reply was a good one. */
  good(): void {
    this.goodMs = this.#lastReplyMs;
    this.#badReplies = 0;
    this.#recover();
  }

  /** The reply was an error that another upstream may not have. */
  bad(nowMs: number): void {
    this.failures += 1;
    this.#badReplies += 1;
    if (this.#badReplies >= maxBadReplies) this.#suspect(nowMs);
  }

  /** A question sent at `sentAtMs` is late; only suspicious when nothing at all has come since. */
  late(sentAtMs: number, nowMs: number): void {
    if (this.#lastReplyMs < sentAtMs) this.#suspect(nowMs);
  }

  timedOut(sentAtMs: number, nowMs: number): void {
    this.timeouts += 1;
    this.late(sentAtMs, nowMs);
  }

  unreachable(nowMs: number): void {
    this.failures += 1;
    this.#suspect(nowMs);
  }

  /** True when it has just gone down. */
  checkDown(nowMs: number): boolean {
    if (this.rank !== Rank.suspected || nowMs - this.#suspectedAtMs < downAfterMs) return false;
    this.rank = Rank.down;
    return true;
  }

  /** Whether it is time for a probe; the next one is then due after twice the time. */
  claimProbe(nowMs: number): boolean {
    if (nowMs < this.#probeAtMs) return false;
    this.#probeDelayMs = Math.min(maxProbeMs, this.#probeDelayMs * 2);
    this.#probeAtMs = nowMs + this.#probeDelayMs;
    return true;
  }

  #suspect(nowMs: number): void {
    this.failedMs = nowMs;
    if (this.rank !== Rank.healthy) return;
    this.rank = Rank.suspected;
    this.#suspectedAtMs = nowMs;
    this.#probeDelayMs = probeFirstMs;
    this.#probeAtMs = nowMs + probeFirstMs;
  }

  #recover(): void {
    if (this.rank === Rank.healthy) return;
    this.rank = Rank.healthy;
    this.#probeAtMs = Infinity;
  }
}
