// How much work expressions may cause for one query: for its name, for the target of local aliases, and for
// all names in its answer. Steps are counted (see matcher.ts), not time, so that a verdict is the same on
// every machine: a step takes about 10 ns on a small server. An expression that is not finished within the
// budget does not match, inverted or not, and is counted.

/** For one name: own expressions have this many, and those of lists too. */
export const stepsPerSet = 50_000;
/** About 1 ms. */
export const stepsPerQuery = 2 * stepsPerSet;
/** The most that the prefilter takes for a single expression: a lookup of each character, and its grams. */
const lookSteps = 100;
/** An expression that can take more is refused: a single one always fits into the budget. */
export const maxExpressionSteps = stepsPerSet - lookSteps - 1;

export class PatternBudget {
  /** Steps that are left for the current query, for all names that are judged for it. */
  left = stepsPerQuery;
  /** Names for which expressions were left unfinished, since this thread was started. */
  cuts = 0;

  /** Must be called for each query, before its name is judged. */
  renew(): void {
    this.left = stepsPerQuery;
  }
}
