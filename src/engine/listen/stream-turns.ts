// Whose turn it is among the connections of a thread. A client may send thousands of queries without waiting,
// and whoever worked on all of them at once would leave everybody else waiting, UDP too. So each connection
// has a share per turn of the event loop, all of them together have a bound, and who has more to do stands in
// line for the next turn. What comes in fresh has a part of its own, or a few who send without end would let
// nobody else be heard. Whoever is refused rests first, so that reading it costs no more than the limit on it
// is worth. Turns are counted by what was worked on, so that a query now and then costs no turn of its own.

/** Waits for its turn. */
export interface TurnTaker {
  takeTurn(): void;
}

/** All connections together, per turn: about a millisecond of work. A message costs at least 1. */
export const turnCost = 256;
/** One connection. */
export const shareCost = 64;
/** Left by those who stand in line to those who have just sent something. */
const freshCost = 64;
/** One more for so many bytes of query and answer. */
const bytesPerCost = 1024;
/** How often somebody is heard who is refused. */
export const restMs = 100;

export const costOf = (queryBytes: number, answerBytes: number): number =>
  1 + Math.trunc((queryBytes + Math.max(answerBytes, 0)) / bytesPerCost);

export class StreamTurns {
  /** Of the turn that is being worked on. */
  number = 0;
  left = turnCost;
  /** The one that has waited longest first. */
  readonly #line = new Set<TurnTaker>();
  readonly #resting = new Set<TurnTaker>();
  #isNextSet = false;
  #isWakeSet = false;

  wait(one: TurnTaker): void {
    this.#line.add(one);
    if (this.#isNextSet) return;
    this.#isNextSet = true;
    setImmediate(this.#next);
  }

  /** Its turn comes after a rest. All that rest share a timer: each is heard once in that time. */
  rest(one: TurnTaker): void {
    this.#line.delete(one);
    this.#resting.add(one);
    if (this.#isWakeSet) return;
    this.#isWakeSet = true;
    setTimeout(this.#wake, restMs).unref();
  }

  /** It waits no more. */
  leave(one: TurnTaker): void {
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
      one.takeTurn();
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

  /** Nothing more in this turn, be it its own share that is spent or everybody's. */
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
