// The progress texts of a running update. A reader that joins late gets all earlier texts. All readers share
// one log and each holds only its position, so slow readers cost nothing. The log is limited; texts above the
// limit are dropped and counted.

import { progressKept } from '../list-limits.ts';

export class ProgressLog<R> {
  readonly #texts: string[] = [];
  readonly #max: number;
  #dropped = 0;
  #result: { readonly value: R } | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(max = progressKept) {
    this.#max = max;
  }

  add(text: string): void {
    if (this.#texts.length < this.#max) this.#texts.push(text);
    else this.#dropped += 1;
    this.#wakeReaders();
  }

  /** Called once; nothing is added afterwards. */
  end(value: R): void {
    if (this.#dropped > 0) this.#texts.push(`${this.#dropped} further messages were dropped`);
    this.#result = { value };
    this.#wakeReaders();
  }

  /** Yields all texts, past and future; returns the result at the end. */
  async *read(): AsyncGenerator<string, R, void> {
    for (let at = 0; ; at++) {
      while (at >= this.#texts.length) {
        if (this.#result !== undefined) return this.#result.value;
        await this.#changed.promise;
      }
      yield this.#texts[at] ?? '';
    }
  }

  #wakeReaders(): void {
    const changed = this.#changed;
    this.#changed = Promise.withResolvers();
    changed.resolve();
  }
}
