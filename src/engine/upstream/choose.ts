// Which upstream is asked next: the order among the upstreams of a group by mode and health. Groups are
// short, so each choice looks at all members; nothing is sorted and nothing is allocated.

import type { ExchangeUpstream, Candidates, Mode } from './exchange.ts';
import { Rank } from './health.ts';

/** One bit of a mask for each member. */
export const maxGroupMembers = 31;
/** What is added to the place of a fallback server. */
export const fallbackPlace = 32;
export const noPlace = -1;

/** Between duplicates that measure those which are not the fastest. */
const measureEveryMs = 5000;

export class Group implements Candidates {
  readonly mode: Mode;
  readonly main: readonly ExchangeUpstream[];
  /** Asked when all main ones have failed or were silent for long. */
  readonly fallback: readonly ExchangeUpstream[];
  /** Also asks what is known to be a loop: for the question whether it still is one. */
  readonly #asksLoops: boolean;
  #measureAtMs = -Infinity;
  #turn = 0;

  constructor(
    mode: Mode,
    main: readonly ExchangeUpstream[],
    fallback: readonly ExchangeUpstream[],
    asksLoops = false,
  ) {
    this.#asksLoops = asksLoops;
    this.mode = mode;
    this.main = main.slice(0, maxGroupMembers);
    this.fallback = fallback.slice(0, maxGroupMembers);
  }

  at(place: number): ExchangeUpstream | undefined {
    return place >= fallbackPlace ? this.fallback[place - fallbackPlace] : this.main[place];
  }

  next(triedMain: number, triedFallback: number, withFallback: boolean): number {
    for (let rank: number = Rank.healthy; rank <= Rank.down; rank += 1) {
      const place = this.#best(this.main, triedMain, rank);
      if (place !== noPlace) return place;
      const second = withFallback ? this.#best(this.fallback, triedFallback, rank) : noPlace;
      if (second !== noPlace) return second + fallbackPlace;
    }
    return noPlace;
  }

  measure(triedMain: number, nowMs: number): number {
    if (this.mode !== 'fastest' || this.main.length < 2 || nowMs < this.#measureAtMs) return noPlace;
    this.#measureAtMs = nowMs + measureEveryMs;
    for (let step = 0; step < this.main.length; step += 1) {
      this.#turn = (this.#turn + 1) % this.main.length;
      const upstream = this.main[this.#turn];
      const isAsked = (triedMain & (1 << this.#turn)) !== 0;
      if (!isAsked && upstream !== undefined && this.#isUsable(upstream, Rank.healthy)) return this.#turn;
    }
    return noPlace;
  }

  get hasFallback(): boolean {
    return this.fallback.length > 0;
  }

  get isLoop(): boolean {
    return this.main.length > 0 && !this.main.some((one) => !one.isLoop) && this.#hasNoFallback();
  }

  get isEmpty(): boolean {
    return this.main.length === 0 && this.fallback.length === 0;
  }

  #hasNoFallback(): boolean {
    return !this.fallback.some((one) => !one.isLoop);
  }

  #best(from: readonly ExchangeUpstream[], asked: number, rank: number): number {
    let best = noPlace;
    let bestMs = Infinity;
    for (let place = 0; place < from.length; place += 1) {
      const upstream = from[place];
      if ((asked & (1 << place)) !== 0 || upstream === undefined || !this.#isUsable(upstream, rank)) continue;
      if (this.mode !== 'fastest') return place;
      // One that was never measured comes first, and is measured by that.
      if (upstream.health.rttMs < bestMs) {
        best = place;
        bestMs = upstream.health.rttMs;
      }
    }
    return best;
  }

  #isUsable(upstream: ExchangeUpstream, rank: number): boolean {
    return upstream.health.rank === rank && (this.#asksLoops || !upstream.isLoop);
  }
}

/** The order in which they would be asked if none answered. For display, not for the path of a question. */
export function inOrder(group: Group): readonly ExchangeUpstream[] {
  const order: ExchangeUpstream[] = [];
  let [main, fallback] = [0, 0];
  for (let place = group.next(0, 0, true); place !== noPlace; place = group.next(main, fallback, true)) {
    if (place >= fallbackPlace) fallback |= 1 << (place - fallbackPlace);
    else main |= 1 << place;
    const upstream = group.at(place);
    if (upstream !== undefined) order.push(upstream);
  }
  return order;
}
