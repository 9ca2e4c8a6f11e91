// Explains decisions in a dns worker, because its policy, its cache and its upstreams are what clients meet.
// What that may cost is bounded: a few at a time, and a question to upstreams that has to end soon. Whoever
// explains is no client: nothing is recorded, counted or kept.

import { Explanation, type UpstreamOutcome, type Engine, type Explained, type Question } from '#engine';
import type { ExplanationWanted } from './explanation-request.ts';

/** At a time, in one worker. */
export const explanationsMax = 8;
/** How long upstreams may take: nobody waits longer for an explanation. */
export const askMaxMs = 2_000;

/** Nothing when there are as many under way as there may be, or it failed. */
export type Explain = (wanted: ExplanationWanted) => Promise<Explained | undefined>;

/** A fault in here must not cost anybody their DNS: it is reported by `notice`. */
export const createExplain = (engine: Engine, notice: (text: string) => void): Explain => {
  let underWay = 0;
  return async ({ inquiry, resolves }) => {
    if (underWay >= explanationsMax) return undefined;
    underWay++;
    try {
      const explanation = new Explanation(engine, inquiry);
      const asks = resolves ? explanation.asks : undefined;
      return explanation.finish(asks === undefined ? undefined : await ask(engine, asks));
    } catch (error) {
      notice(`An explanation failed because of a fault of the service, please report it: ${stackOf(error)}`);
      return undefined;
    } finally {
      underWay--;
    }
  };
};

const stackOf = (error: unknown): string => (error instanceof Error ? String(error.stack) : String(error));

const ask = (engine: Engine, question: Question): Promise<UpstreamOutcome> =>
  new Promise((resolve) => {
    const give = (outcome: UpstreamOutcome): void => {
      clearTimeout(tooLong);
      resolve(outcome);
    };
    const tooLong = setTimeout(() => give({ kind: 'failure', failure: 'timeout', upstream: -1 }), askMaxMs);
    engine.ask(question, {
      onReply: (reply, upstream) => give({ kind: 'reply', reply: reply.copy(), upstream }),
      onFailure: (failure, upstream) => give({ kind: 'failure', failure, upstream }),
    });
  });
