// How much work expressions may be for one query: for its name, for the end of local aliases, and for all
// names that its answer leads to. Steps are counted (see matcher.ts), not time, so that a verdict is the same
// on every machine: a step takes about 10 ns on a small server. What is not finished within the budget does
// not match, inverted or not, and is counted.

/** For one name: own expressions have as many, and those of lists. */
export const stepsPerSet = 50_000;
/** About 1 ms. */
export const stepsPerQuery = 2 * stepsPerSet;
/** What the prefilter takes at most for one expression alone: a look at each sign, and its grams. */
const lookSteps = 100;
/** An expression that can take more is not accepted: one alone always fits into the budget. */
export const mostExpressionSteps = stepsPerSet - lookSteps - 1;

export class PatternBudget {
  /** Steps that are left for the query at hand, for all names that are judged for it. */
  left = stepsPerQuery;
  /** Names for which expressions were left unfinished, since this thread has begun. */
  cuts = 0;

  /** To be called for each query, before its name is judged. */
  renew(): void {
    this.left = stepsPerQuery;
  }
}
