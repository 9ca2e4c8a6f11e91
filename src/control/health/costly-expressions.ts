// Regular expressions that took too many steps for a name, so that some were left unfinished for it: the name
// was answered as if those did not match. Told while it happens and for some minutes after, with the rules
// that took the most steps.

import type { DnsFigures } from '#engine';
import type { ReadModel } from '#store/database';

type Figures = DnsFigures['expressions'];
type Costly = Figures['costly'][number];

/** How long it is told after it has happened last. */
const toldForMs = 600_000;

export interface CostlyExpressionsParts {
  /** Nothing while DNS is off. */
  readonly figures: () => Figures | undefined;
  readonly read: Pick<ReadModel, 'domains' | 'lists'>;
  readonly steadyMs: () => number;
}

export class CostlyExpressions {
  readonly #parts: CostlyExpressionsParts;
  /** What was counted before this thread began was told by the one before. */
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
    return steadyMs() - this.#lastMs < toldForMs ? this.#text(costly) : undefined;
  };

  #text(costly: readonly Costly[]): string {
    const rules = costly.map((rule) => this.#ruleText(rule)).join('; ');
    return (
      'Regular expressions take too many steps for some names, which are answered as if expressions that ' +
      `are not finished did not match. The most expensive ones: ${rules || 'not known yet'}. Make them ` +
      'simpler: fewer and shorter repetitions of signs that fit nearly everything, or delete them.'
    );
  }

  #ruleText({ listId, ruleId, line }: Costly): string {
    const { domains, lists } = this.#parts.read;
    if (listId === 0) {
      const rule = domains.withId(ruleId);
      return rule === undefined ? `your rule ${ruleId}` : `your ${rule.type} rule ${rule.domain}`;
    }
    const list = lists.withId(listId);
    return `line ${line} of the list ${list?.comment ?? `number ${listId}`}`;
  }
}
