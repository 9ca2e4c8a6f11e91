// Explains decisions in a dns worker, with the policy, cache and upstreams that its clients get. The cost is
// limited: a few explanations at a time, with a short timeout for upstreams. An explanation is not a query:
// nothing is recorded, counted or cached.

import { limits } from '#contract/limits';
import { Explanation, type UpstreamOutcome, type Engine, type Explained, type Question } from '#engine';
import type { ExplanationWanted } from './explanation-request.ts';

/** Timeout for upstreams. */
export const maxUpstreamMs = 2_000;

/** Undefined when too many explanations are running, or when it failed. */
export type Explain = (wanted: ExplanationWanted) => Promise<Explained | undefined>;

/** A bug in the explanation must not stop the worker: it is reported through `notice`. */
export function createExplain(engine: Engine, notice: (text: string) => void): Explain {
  let running = 0;
  return async ({ inquiry, resolves }) => {
    if (running >= limits.explanationsPerWorker) return undefined;
    running++;
    try {
      const explanation = new Explanation(engine, inquiry);
      const question = resolves ? explanation.asks : undefined;
      return explanation.finish(question === undefined ? undefined : await queryUpstreams(engine, question));
    } catch (error) {
      notice(`An explanation failed because of a fault of the service, please report it: ${stackOf(error)}`);
      return undefined;
    } finally {
      running--;
    }
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? String(error.stack) : String(error);
}

function queryUpstreams(engine: Engine, question: Question): Promise<UpstreamOutcome> {
  return new Promise((resolve) => {
    const settle = (outcome: UpstreamOutcome): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    const timer = setTimeout(
      () => settle({ kind: 'failure', failure: 'timeout', upstream: -1 }),
      maxUpstreamMs,
    );
    engine.queryUpstreams(question, {
      onReply: (reply, upstream) => settle({ kind: 'reply', reply: reply.copy(), upstream }),
      onFailure: (failure, upstream) => settle({ kind: 'failure', failure, upstream }),
    });
  });
}
