// Clients that sent queries and were not reported lately: the api thread gets each client once in a while and
// looks up its name.

import type { SeenClient, SeenClients } from './seen-clients.ts';

/** Names change seldom. */
const againMs = 600_000;
/** Reported clients that are remembered; above that, all are forgotten. */
const maxKnown = 8_192;

export class Newcomers {
  readonly #seen: Pick<SeenClients, 'list'>;
  /** When each client was reported, by its address bytes as text. */
  readonly #reportedMs = new Map<string, number>();
  #lookedMs = -Infinity;

  constructor(seen: Pick<SeenClients, 'list'>) {
    this.#seen = seen;
  }

  /** Clients since the last call, by wall-clock time. */
  collect(nowMs: number): readonly Uint8Array[] {
    const sinceMs = this.#lookedMs;
    // A record may take a moment to arrive.
    this.#lookedMs = nowMs - againMs / 10;
    return this.#seen
      .list()
      .filter(({ lastQueryMs }) => lastQueryMs >= sinceMs)
      .filter((client) => this.#isNew(client, nowMs))
      .map(({ address }) => address);
  }

  #isNew({ address }: SeenClient, nowMs: number): boolean {
    const key = Buffer.from(address).toString('latin1');
    const reportedMs = this.#reportedMs.get(key) ?? -Infinity;
    if (Math.abs(nowMs - reportedMs) < againMs) return false;
    if (this.#reportedMs.size >= maxKnown) this.#reportedMs.clear();
    this.#reportedMs.set(key, nowMs);
    return true;
  }
}
