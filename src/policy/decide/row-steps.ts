// How much work the rules of a name may cause, in the steps of the budget that expressions have (see
// ../patterns/budget.ts). A name has a few rules, and a list by an attacker may have thousands for `com` and
// for every name below. Rules that are not judged within the steps count as no match. The first steps of each
// name are free: no usual name takes more, so that expressions keep all steps of the query.

import { stepsPerSet } from '../patterns/budget.ts';

/** Free for each name and layer. */
const freeSteps = 256;
/** A rule with options: memory that is not in the processor's cache. Other rules take one step. */
export const optionSteps = 4;

/** For parsing the options of a rule, which happens when it is first judged. */
export function parsingSteps(characters: number): number {
  return 200 + 2 * characters;
}

export class RowSteps {
  taken = 0;
  /** A rule was not judged. */
  isCut = false;
  #most = 0;

  /** `left`: of the query's budget. */
  begin(left: number): void {
    this.taken = 0;
    this.isCut = false;
    this.#most = freeSteps + Math.min(stepsPerSet, left);
  }

  /** Whether another rule may be judged. */
  allows(): boolean {
    if (this.taken < this.#most) return true;
    this.isCut = true;
    return false;
  }

  /** How many steps the budget is charged; the excess of the last rule is not charged to later names. */
  get charged(): number {
    return Math.max(0, Math.min(this.taken, this.#most) - freeSteps);
  }
}
