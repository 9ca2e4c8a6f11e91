// From the hash of something to its number, in bounded memory: sets of four places, of which the one that was
// not used lately gives way. Two seeded hashes of 32 bits stand for the thing itself. Each place also says in
// which journal the thing was written down, so that every journal can be read without the database.

const ways = 4;
/** Hash, second hash, number, journal. */
const wordsPerPlace = 4;

export class IdCache {
  readonly #words: Int32Array;
  readonly #mask: number;
  /** Which of the four gives way next, by set. */
  readonly #hands: Uint8Array;
  /** The place of what was found or put last. */
  #at = 0;

  constructor(bits: number) {
    const sets = 1 << (bits - 2);
    this.#words = new Int32Array(sets * ways * wordsPerPlace);
    this.#hands = new Uint8Array(sets);
    this.#mask = sets - 1;
  }

  /** 0: not here. */
  find(hash: number, second: number): number {
    const words = this.#words;
    let at = (hash & this.#mask) * ways * wordsPerPlace;
    for (let way = 0; way < ways; way++, at += wordsPerPlace) {
      if (words[at] !== hash || words[at + 1] !== second) continue;
      this.#at = at;
      return words[at + 2] ?? 0;
    }
    return 0;
  }

  put(hash: number, second: number, id: number): void {
    const set = hash & this.#mask;
    const hand = this.#hands[set] ?? 0;
    this.#hands[set] = (hand + 1) % ways;
    const at = (set * ways + hand) * wordsPerPlace;
    this.#words[at] = hash;
    this.#words[at + 1] = second;
    this.#words[at + 2] = id;
    this.#words[at + 3] = 0;
    this.#at = at;
  }

  /** Whether what was found or put last is new to this journal; from now on it is not. */
  isNewTo(journal: number): boolean {
    if (this.#words[this.#at + 3] === journal) return false;
    this.#words[this.#at + 3] = journal;
    return true;
  }

  clear(): void {
    this.#words.fill(0);
  }
}
