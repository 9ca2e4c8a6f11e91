// Explanations that are waited for: each was asked of one dns worker, which may die over it or have too many
// already. Nobody waits longer than a worker may take.

import type { Explained } from '#engine';
import type { ExplanationOutcome } from '#control/explain';

/** A worker takes two seconds at the most; then it is busy or dead. */
const answerMaxMs = 3_000;

interface Waiting {
  readonly worker: string;
  readonly resolve: (outcome: ExplanationOutcome) => void;
  readonly timer: NodeJS.Timeout;
}

export class Explaining {
  readonly #maxMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(maxMs = answerMaxMs) {
    this.#maxMs = maxMs;
  }

  /** `post` sends the question under the number that the reply is to have. */
  ask(worker: string, post: (reply: number) => void): Promise<ExplanationOutcome> {
    const { promise, resolve } = Promise.withResolvers<ExplanationOutcome>();
    const reply = ++this.#last;
    const timer = setTimeout(() => this.#end(reply, { kind: 'unavailable' }), this.#maxMs);
    this.#waiting.set(reply, { worker, resolve, timer });
    post(reply);
    return promise;
  }

  heard(reply: number, explained: Explained | undefined): void {
    const worker = this.#waiting.get(reply)?.worker ?? '';
    this.#end(reply, explained === undefined ? { kind: 'busy' } : { kind: 'explained', worker, explained });
  }

  #end(reply: number, outcome: ExplanationOutcome): void {
    const waiting = this.#waiting.get(reply);
    this.#waiting.delete(reply);
    clearTimeout(waiting?.timer);
    waiting?.resolve(outcome);
  }
}
