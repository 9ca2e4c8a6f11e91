// How much work expressions may be for one query. Steps are counted (see matcher.ts), not time, so that the
// same name gets the same verdict on every machine: a step takes about 10 ns on a small server. What is not
// finished within the budget does not match, inverted or not, and is counted.

/** For own expressions, and as many again for those of lists: together about 1 ms. */
export const stepsPerSet = 50_000;
const stepsPerQuery = 2 * stepsPerSet;
/** An expression that can take as many is not accepted: one alone always fits into the budget. */
export const mostExpressionSteps = stepsPerSet - 1;

export class PatternBudget {
  /** Steps that are left for the query at hand, for all names that are judged for it. */
  left = stepsPerQuery;
  /** Names for which expressions were left unfinished, since this thread has begun. */
  cuts = 0;

  /** To be called for each query, and before looking at where its answer leads. */
  renew(): void {
    this.left = stepsPerQuery;
  }
}
