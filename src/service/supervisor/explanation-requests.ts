// Requests for explanations that are under way. Each was sent to one dns worker, which may die while it works
// on it, or refuse it because it has too many. Every request has a timeout.

import type { Explained } from '#engine';
import type { ExplanationOutcome } from '#control/explain';

/** A worker needs two seconds at most; after that it is overloaded or dead. */
const maxReplyMs = 3_000;

interface Pending {
  readonly worker: string;
  readonly resolve: (outcome: ExplanationOutcome) => void;
  readonly timer: NodeJS.Timeout;
}

export class ExplanationRequests {
  readonly #maxMs: number;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;

  constructor(maxMs = maxReplyMs) {
    this.#maxMs = maxMs;
  }

  /** `post` sends the request to the worker. */
  send(worker: string, post: (requestId: number) => void): Promise<ExplanationOutcome> {
    const { promise, resolve } = Promise.withResolvers<ExplanationOutcome>();
    const requestId = ++this.#lastId;
    const timer = setTimeout(() => this.#settle(requestId, { kind: 'unavailable' }), this.#maxMs);
    this.#pending.set(requestId, { worker, resolve, timer });
    post(requestId);
    return promise;
  }

  /** Without an explanation the worker is busy. */
  onReply(requestId: number, explained: Explained | undefined): void {
    const worker = this.#pending.get(requestId)?.worker ?? '';
    this.#settle(
      requestId,
      explained === undefined ? { kind: 'busy' } : { kind: 'explained', worker, explained },
    );
  }

  #settle(requestId: number, outcome: ExplanationOutcome): void {
    const pending = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    clearTimeout(pending?.timer);
    pending?.resolve(outcome);
  }
}
