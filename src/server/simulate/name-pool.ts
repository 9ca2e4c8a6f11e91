// The names that were met, as the bytes that policies decide by: one block of memory for all, since there may
// be hundreds of thousands. Each gets a number of its own, from 0 on.

import { nameFromText, nameToText } from '#wire';

/** Beyond that a simulation ends early: a table of them would take more memory than it may. */
export const mostNames = 500_000;
const firstBytes = 1_048_576;
const longestName = 255;
/** What the history has in place of a name that was not to be recorded. */
const hiddenName = 'hidden';

export class NamePool {
  readonly #numbers = new Map<number, number>();
  #starts = new Uint32Array(16_384);
  #bytes = new Uint8Array(firstBytes);
  #used = 0;
  /** The name that was loaded last; the bytes behind it are of others. */
  readonly name = new Uint8Array(longestName + 1);

  get size(): number {
    return this.#numbers.size;
  }

  /** By its number in the history; -1 when it is new. */
  numberOf(id: number): number {
    return this.#numbers.get(id) ?? -1;
  }

  add(id: number, text: string): void {
    const bytes = text === '' || text === hiddenName ? undefined : nameFromText(text);
    const number = this.#numbers.size;
    this.#numbers.set(id, number);
    const length = bytes?.length ?? 0;
    this.#makeRoom(number, length);
    if (bytes !== undefined) this.#bytes.set(bytes, this.#used);
    this.#starts[number] = this.#used;
    this.#used += length;
    this.#starts[number + 1] = this.#used;
  }

  /** Puts it into `name`; its length, which is 0 when it is not known. */
  load(number: number): number {
    const start = this.#starts[number] ?? 0;
    const end = this.#starts[number + 1] ?? 0;
    const { name } = this;
    for (let at = start; at < end; at++) name[at - start] = this.#bytes[at] ?? 0;
    return end - start;
  }

  isKnown(number: number): boolean {
    return this.#starts[number] !== this.#starts[number + 1];
  }

  textOf(number: number): string {
    return nameToText(this.#bytes.slice(this.#starts[number], this.#starts[number + 1]));
  }

  #makeRoom(number: number, length: number): void {
    if (number + 1 >= this.#starts.length) {
      const longer = new Uint32Array(2 * this.#starts.length);
      longer.set(this.#starts);
      this.#starts = longer;
    }
    if (this.#used + length <= this.#bytes.length) return;
    const longer = new Uint8Array(2 * this.#bytes.length);
    longer.set(this.#bytes);
    this.#bytes = longer;
  }
}
