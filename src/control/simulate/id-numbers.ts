// Maps ids of the history to numbers. Ids are consecutive, so a table is used up to a maximum size; larger
// ids go into a map.

const maxTableSlots = 4_194_304;

export class IdNumbers {
  #table = new Int32Array(65_536);
  readonly #large = new Map<number, number>();

  /** -1 when there is none. */
  get(id: number): number {
    return id < this.#table.length ? (this.#table[id] ?? 0) - 1 : (this.#large.get(id) ?? -1);
  }

  set(id: number, number: number): void {
    if (id >= this.#table.length && id < maxTableSlots) this.#grow(id);
    if (id < this.#table.length) this.#table[id] = number + 1;
    else this.#large.set(id, number);
  }

  #grow(id: number): void {
    const longer = new Int32Array(Math.min(2 ** Math.ceil(Math.log2(id + 1)), maxTableSlots));
    longer.set(this.#table);
    this.#table = longer;
  }
}
