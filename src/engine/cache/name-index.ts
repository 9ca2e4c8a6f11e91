// An open-addressed index from the hash of a name to the places of its entries. Entries of one name (A, AAAA,
// HTTPS, …) stand in one run, so that all of them can be found to flush a name. Removal shifts the run back
// instead of leaving tombstones. Runs are bounded: names made to collide cost hits, never time.

/** Longest run that is looked at or made. */
export const maxRun = 64;

export class NameIndex {
  readonly #places: Int32Array;
  readonly #hashes: Int32Array;
  readonly #mask: number;
  #count = 0;

  /** `slots` is rounded up to a power of two. */
  constructor(slots: number) {
    const size = 1 << Math.ceil(Math.log2(Math.max(16, slots)));
    this.#places = new Int32Array(size);
    this.#hashes = new Int32Array(size);
    this.#mask = size - 1;
  }

  get slots(): number {
    return this.#mask + 1;
  }

  /** A quarter of the slots stays empty, so that runs stay short. */
  get room(): number {
    return this.#mask - (this.#mask >> 2) + 1;
  }

  get isFull(): boolean {
    return this.#count >= this.room;
  }

  get count(): number {
    return this.#count;
  }

  /** The first slot at or after the home of `hash`, to begin a walk with. */
  home(hash: number): number {
    return hash & this.#mask;
  }

  next(slot: number): number {
    return (slot + 1) & this.#mask;
  }

  /** The place in a slot, -1 when it is empty: the run ends there. */
  placeAt(slot: number): number {
    return (this.#places[slot] ?? 0) - 1;
  }

  hashAt(slot: number): number {
    return this.#hashes[slot] ?? 0;
  }

  /** False when the run is too long: the entry is then not kept. */
  add(hash: number, place: number): boolean {
    let slot = this.home(hash);
    for (let step = 0; step < maxRun; step++) {
      if (this.#places[slot] === 0) {
        this.#places[slot] = place + 1;
        this.#hashes[slot] = hash;
        this.#count++;
        return true;
      }
      slot = this.next(slot);
    }
    return false;
  }

  /** The entry was moved in memory. */
  move(hash: number, from: number, to: number): boolean {
    const slot = this.#slotOf(hash, from);
    if (slot >= 0) this.#places[slot] = to + 1;
    return slot >= 0;
  }

  remove(hash: number, place: number): void {
    let hole = this.#slotOf(hash, place);
    if (hole < 0) return;
    this.#count--;
    let slot = this.next(hole);
    while (this.#places[slot] !== 0) {
      const homeDistance = (slot - this.home(this.hashAt(slot))) & this.#mask;
      if (homeDistance >= ((slot - hole) & this.#mask)) {
        this.#places[hole] = this.#places[slot] ?? 0;
        this.#hashes[hole] = this.hashAt(slot);
        hole = slot;
      }
      slot = this.next(slot);
    }
    this.#places[hole] = 0;
  }

  clear(): void {
    this.#places.fill(0);
    this.#count = 0;
  }

  #slotOf(hash: number, place: number): number {
    let slot = this.home(hash);
    for (let step = 0; step <= this.#mask; step++) {
      const found = this.#places[slot] ?? 0;
      if (found === place + 1) return slot;
      if (found === 0) return -1;
      slot = this.next(slot);
    }
    return -1;
  }
}
