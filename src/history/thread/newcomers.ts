// Who has asked and was not told of lately: so the api thread hears of each client once in a while, and finds
// out what it is called.

import type { SeenClient, SeenClients } from './seen-clients.ts';

/** Names change seldom. */
const againMs = 600_000;
/** Of those that are remembered; strangers from ten thousand addresses begin anew. */
const mostKnown = 8_192;

export class Newcomers {
  readonly #seen: Pick<SeenClients, 'list'>;
  /** By their bytes as a text: when each was told of. */
  readonly #told = new Map<string, number>();
  #lookedMs = -Infinity;

  constructor(seen: Pick<SeenClients, 'list'>) {
    this.#seen = seen;
  }

  /** Those who asked since, by the wall clock. */
  take(nowMs: number): readonly Uint8Array[] {
    const sinceMs = this.#lookedMs;
    // A record may be on its way for a moment.
    this.#lookedMs = nowMs - againMs / 10;
    return this.#seen
      .list()
      .filter(({ lastQueryMs }) => lastQueryMs >= sinceMs)
      .filter((client) => this.#isNew(client, nowMs))
      .map(({ address }) => address);
  }

  #isNew({ address }: SeenClient, nowMs: number): boolean {
    const key = Buffer.from(address).toString('latin1');
    const toldMs = this.#told.get(key) ?? -Infinity;
    if (Math.abs(nowMs - toldMs) < againMs) return false;
    if (this.#told.size >= mostKnown) this.#told.clear();
    this.#told.set(key, nowMs);
    return true;
  }
}
