// Fair scheduling among the connections of a thread. A client may send thousands of queries without waiting;
// working on all of them at once would block all other connections, and UDP. So each connection has a share
// per turn of the event loop, all of them together have a bound, and a connection with more to do is queued
// for the next turn. New data has a part of its own, or a few busy connections would starve the others. A
// refused connection rests first, so that the rate limit also saves the cost of reading. Turns are counted by
// the work done, so that an occasional query costs no turn of its own.

/** Waits for its turn. */
export interface TurnRunner {
  runTurn(): void;
}

/** All connections together, per turn: about a millisecond of work. A message costs at least 1. */
export const turnCost = 256;
/** One connection. */
export const shareCost = 64;
/** Of each turn, what queued connections leave to those with new data. */
const freshCost = 64;
/** One more for so many bytes of query and answer. */
const bytesPerCost = 1024;
/** How long a refused connection rests. */
export const restMs = 100;

export function costOf(queryBytes: number, answerBytes: number): number {
  return 1 + Math.trunc((queryBytes + Math.max(answerBytes, 0)) / bytesPerCost);
}

export class StreamTurns {
  /** Of the turn that is being worked on. */
  number = 0;
  left = turnCost;
  /** The one that has waited longest first. */
  readonly #line = new Set<TurnRunner>();
  readonly #resting = new Set<TurnRunner>();
  #isNextSet = false;
  #isWakeSet = false;

  wait(one: TurnRunner): void {
    this.#line.add(one);
    if (this.#isNextSet) return;
    this.#isNextSet = true;
    setImmediate(this.#next);
  }

  /** Its turn comes after a rest. All that rest share a timer: each is heard once in that time. */
  rest(one: TurnRunner): void {
    this.#line.delete(one);
    this.#resting.add(one);
    if (this.#isWakeSet) return;
    this.#isWakeSet = true;
    setTimeout(this.#wake, restMs).unref();
  }

  /** It waits no more. */
  leave(one: TurnRunner): void {
    this.#line.delete(one);
    this.#resting.delete(one);
  }

  readonly #next = (): void => {
    this.#isNextSet = false;
    this.number += 1;
    this.left = turnCost;
    // Who has more to do stands in line again, and is not meant by this walk.
    let count = this.#line.size;
    for (const one of this.#line) {
      if (count === 0 || this.left <= freshCost) break;
      count -= 1;
      this.#line.delete(one);
      one.runTurn();
    }
    const [first] = this.#line;
    if (first !== undefined) this.wait(first);
  };

  readonly #wake = (): void => {
    this.#isWakeSet = false;
    for (const one of this.#resting) this.wait(one);
    this.#resting.clear();
  };
}

/** What one connection has of the turns. */
export class TurnShare {
  readonly #turns: StreamTurns;
  #number = -1;
  #left = shareCost;

  constructor(turns: StreamTurns) {
    this.#turns = turns;
  }

  /** Nothing more in this turn: its own share or that of all is spent. */
  get isSpent(): boolean {
    return this.#turns.left <= 0 || (this.#left <= 0 && this.#number === this.#turns.number);
  }

  spend(cost: number): void {
    if (this.#number !== this.#turns.number) {
      this.#number = this.#turns.number;
      this.#left = shareCost;
    }
    this.#left -= cost;
    this.#turns.left -= cost;
  }
}
