// Reports regular expressions that exceed the step budget for a name: matching stops, and the name is
// answered as if the remaining expressions did not match. Reported until ten minutes after the last time,
// with the rules that took the most steps.

import type { DnsFigures } from '#engine';
import type { ReadModel } from '#store/database';

type Figures = DnsFigures['expressions'];
type Costly = Figures['costly'][number];

const reportedForMs = 600_000;

export interface CostlyExpressionsParts {
  /** Undefined while DNS is off. */
  readonly figures: () => Figures | undefined;
  readonly read: Pick<ReadModel, 'domains' | 'lists'>;
  readonly steadyMs: () => number;
}

export class CostlyExpressions {
  readonly #parts: CostlyExpressionsParts;
  /** Undefined at first: the previous api thread has reported what was counted before. */
  #counted: number | undefined;
  #lastMs = -Infinity;

  constructor(parts: CostlyExpressionsParts) {
    this.#parts = parts;
  }

  readonly find = (): string | undefined => {
    const { figures, steadyMs } = this.#parts;
    const { unfinished = 0, costly = [] } = figures() ?? {};
    if (unfinished > (this.#counted ?? unfinished)) this.#lastMs = steadyMs();
    this.#counted = unfinished;
    return steadyMs() - this.#lastMs < reportedForMs ? this.#text(costly) : undefined;
  };

  #text(costly: readonly Costly[]): string {
    const rules = costly.map((rule) => this.#ruleText(rule)).join('; ');
    return (
      'Rules take too many steps for some names; these are answered as if the unfinished rules did not ' +
      `match. The most expensive ones: ${rules || 'not known yet'}. Simplify them ` +
      '(fewer and shorter repetitions of patterns that match almost everything), or delete them.'
    );
  }

  #ruleText({ listId, ruleId, line }: Costly): string {
    const { domains, lists } = this.#parts.read;
    if (listId === 0) {
      const rule = domains.withId(ruleId);
      return rule === undefined ? `your rule ${ruleId}` : `your ${rule.type} rule ${rule.domain}`;
    }
    const list = lists.withId(listId);
    // Without a line: many rules for one name, of which none is expensive.
    const place = line === 0 ? 'rules for names with hundreds of rules in' : `line ${line} of`;
    return `${place} the list ${list?.comment ?? `number ${listId}`}`;
  }
}
