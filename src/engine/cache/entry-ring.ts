// The cache's memory: one block, entries one behind the other, new ones at the head, space taken back at the
// tail. An entry that was used since its last round moves to the head instead of going (CLOCK): nearly as
// good as least-recently-used, and a lookup writes one bit. A place is an index into `words`; it holds until
// the next `allocate`. Behind the ring lies room for one entry that is too large for it.

import { Entry, headerWords, State } from './entry.ts';

/** How many used entries may move to make room for one; afterwards the oldest goes, used or not. */
const movesPerAllocation = 16;
const wordsPerStep = 2;
/** Longer than the largest message with a list of TTLs and the longest name. */
const guestBytes = 80 * 1024;

export interface RingEvents {
  onMove(from: number, to: number): void;
  onEvict(place: number): void;
}

export class EntryRing {
  readonly words: Int32Array;
  readonly bytes: Uint8Array;
  readonly #events: RingEvents;
  /** Where the ring ends and the guest's room begins. */
  readonly #end: number;
  #head = 0;
  #tail = 0;
  #usedWords = 0;

  constructor(sizeBytes: number, events: RingEvents) {
    const steps = Math.floor(sizeBytes / (wordsPerStep * 4));
    this.#end = steps * wordsPerStep;
    const memory = new ArrayBuffer(this.#end * 4 + guestBytes);
    this.words = new Int32Array(memory);
    this.bytes = new Uint8Array(memory);
    this.#events = events;
  }

  get usedBytes(): number {
    return this.#usedWords * 4;
  }

  get capacityBytes(): number {
    return this.#end * 4;
  }

  /** A quarter is the most that one entry may take. */
  fits(sizeBytes: number): boolean {
    return sizeBytes <= this.#end;
  }

  /** The place of an entry that does not fit: outside of the ring, and overwritten by the next such. */
  get guestPlace(): number {
    return this.#end;
  }

  /** A place for an entry of this size (a multiple of 8), whose size is written already. */
  allocate(sizeBytes: number): number {
    const sizeWords = sizeBytes >> 2;
    let moves = movesPerAllocation;
    while (!this.#hasRoom(sizeWords)) moves -= this.#takeBack(moves > 0);
    this.#wrapIfNeeded(sizeWords);
    return this.#append(sizeWords);
  }

  /** Lets the oldest entry go that was not used since its last round. */
  evictOldest(): void {
    for (let moves = movesPerAllocation; this.#usedWords > 0; moves--)
      if (this.#takeBack(moves > 0) === 0) return;
  }

  /** Calls `visit` for every entry, the oldest first. */
  forEach(visit: (place: number) => void): void {
    let place = this.#tail;
    for (let left = this.#usedWords; left > 0;) {
      const sizeWords = this.#sizeWordsAt(place);
      if ((this.#stateAt(place, sizeWords) & State.dead) === 0) visit(place);
      left -= sizeWords;
      place = this.#after(place, sizeWords);
    }
  }

  clear(): void {
    this.#head = 0;
    this.#tail = 0;
    this.#usedWords = 0;
  }

  #append(sizeWords: number): number {
    const place = this.#head;
    this.words[place + Entry.sizeBytes] = sizeWords << 2;
    this.#head = this.#after(place, sizeWords);
    this.#usedWords += sizeWords;
    return place;
  }

  #after(place: number, sizeWords: number): number {
    const next = place + sizeWords;
    return next === this.#end ? 0 : next;
  }

  #roomAtHead(): number {
    if (this.#usedWords === 0) {
      this.#head = 0;
      this.#tail = 0;
      return this.#end;
    }
    return this.#head < this.#tail ? this.#tail - this.#head : this.#end - this.#head;
  }

  /** Entries do not bend round the end of the block: what is left there is filled up. */
  #hasRoom(sizeWords: number): boolean {
    if (this.#usedWords === this.#end) return false;
    if (this.#roomAtHead() >= sizeWords) return true;
    return this.#head > this.#tail && this.#tail >= sizeWords;
  }

  #wrapIfNeeded(sizeWords: number): void {
    const room = this.#roomAtHead();
    if (room >= sizeWords) return;
    const filler = this.#append(room);
    if (room > Entry.nameAndState) this.words[filler + Entry.nameAndState] = State.dead;
  }

  #sizeWordsAt(place: number): number {
    return (this.words[place + Entry.sizeBytes] ?? 0) >> 2;
  }

  /** What is too small to be an entry fills the end of the block. */
  #stateAt(place: number, sizeWords: number): number {
    return sizeWords < headerWords ? State.dead : (this.words[place + Entry.nameAndState] ?? 0);
  }

  /** Frees the oldest entry, or moves it to the head. Returns 1 when it moved. */
  #takeBack(mayMove: boolean): number {
    const place = this.#tail;
    const sizeWords = this.#sizeWordsAt(place);
    const state = this.#stateAt(place, sizeWords);
    this.#tail = this.#after(place, sizeWords);
    this.#usedWords -= sizeWords;
    if ((state & State.dead) !== 0) return 0;
    if (mayMove && (state & State.used) !== 0 && this.#move(place, sizeWords)) return 1;
    this.#events.onEvict(place);
    return 0;
  }

  #move(from: number, sizeWords: number): boolean {
    if (!this.#hasRoom(sizeWords)) return false;
    this.#wrapIfNeeded(sizeWords);
    const to = this.#head;
    this.words.copyWithin(to, from, from + sizeWords);
    this.#append(sizeWords);
    this.words[to + Entry.nameAndState] = (this.words[to + Entry.nameAndState] ?? 0) & ~State.used;
    this.#events.onMove(from, to);
    return true;
  }
}
