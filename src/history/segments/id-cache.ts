// From the hash of a text to its number, in bounded memory: sets of four entries, which are replaced in turn.
// Two seeded 32-bit hashes stand for the text. Each entry also records in which journal the text was last
// written, so that every journal can be read without the database.

const ways = 4;
/** Hash, second hash, number, journal. */
const wordsPerPlace = 4;

export class IdCache {
  readonly #words: Int32Array;
  readonly #mask: number;
  /** Which of the four entries is replaced next, for each set. */
  readonly #hands: Uint8Array;
  /** The entry that was found or added last. */
  #at = 0;

  constructor(bits: number) {
    const sets = 1 << (bits - 2);
    this.#words = new Int32Array(sets * ways * wordsPerPlace);
    this.#hands = new Uint8Array(sets);
    this.#mask = sets - 1;
  }

  /** 0 when there is no entry. */
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

  /** Whether this journal does not have the entry found or added last; marks it as written there. */
  isNewTo(journal: number): boolean {
    if (this.#words[this.#at + 3] === journal) return false;
    this.#words[this.#at + 3] = journal;
    return true;
  }

  clear(): void {
    this.#words.fill(0);
  }
}
