// What an update has told so far, kept for as long as it runs: whoever joins late reads from the beginning,
// and each reader has only its place in the one log. That way a reader may be as slow as it likes. The log is
// bounded; what comes after its end is counted and not kept.

import { progressKept } from '../list-limits.ts';

export class ProgressLog<R> {
  readonly #texts: string[] = [];
  readonly #most: number;
  #leftOut = 0;
  #result: { readonly value: R } | undefined;
  #news = Promise.withResolvers<void>();

  constructor(most = progressKept) {
    this.#most = most;
  }

  add(text: string): void {
    if (this.#texts.length < this.#most) this.#texts.push(text);
    else this.#leftOut += 1;
    this.#tell();
  }

  /** Once; nothing is added afterwards. */
  end(value: R): void {
    if (this.#leftOut > 0) this.#texts.push(`${this.#leftOut} further messages were left out`);
    this.#result = { value };
    this.#tell();
  }

  /** All texts, those that are still to come too; the result at the end. */
  async *read(): AsyncGenerator<string, R, void> {
    for (let at = 0; ; at++) {
      while (at >= this.#texts.length) {
        if (this.#result !== undefined) return this.#result.value;
        await this.#news.promise;
      }
      yield this.#texts[at] ?? '';
    }
  }

  #tell(): void {
    const news = this.#news;
    this.#news = Promise.withResolvers();
    news.resolve();
  }
}
