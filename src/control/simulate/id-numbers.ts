// Numbers by ids of the history. Ids are given one after the other, so a table does it, as long as it does
// not get too long; what lies beyond goes into a map.

const tableMax = 4_194_304;

export class IdNumbers {
  #table = new Int32Array(65_536);
  readonly #beyond = new Map<number, number>();

  /** -1 when there is none. */
  get(id: number): number {
    return id < this.#table.length ? (this.#table[id] ?? 0) - 1 : (this.#beyond.get(id) ?? -1);
  }

  set(id: number, number: number): void {
    if (id >= this.#table.length && id < tableMax) this.#grow(id);
    if (id < this.#table.length) this.#table[id] = number + 1;
    else this.#beyond.set(id, number);
  }

  #grow(id: number): void {
    const longer = new Int32Array(Math.min(2 ** Math.ceil(Math.log2(id + 1)), tableMax));
    longer.set(this.#table);
    this.#table = longer;
  }
}
