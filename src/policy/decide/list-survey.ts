// Collects all lists that have a rule for a name, whether it decides or not: the effect of removing a list
// depends on the others. It is reused for each name and holds only numbers, because a survey covers hundreds
// of thousands of names.

import { Flag } from '../snapshot/layout.ts';
import { LayerBase, type RuleLayer } from './rule-layer.ts';
import { Outcome, type Listener } from './walk.ts';

export class ListSurvey implements Listener {
  /** The ids of lists that block the name, without duplicates. */
  readonly blocking: number[] = [];
  /** The ids of lists that allow it. */
  readonly allowing: number[] = [];

  begin(): void {
    this.blocking.length = 0;
    this.allowing.length = 0;
  }

  onRule(layer: RuleLayer, row: number, outcome: number): void {
    if (outcome !== Outcome.holds || layer.base !== LayerBase.list) return;
    const met = (layer.word(row) & Flag.allow) === 0 ? this.blocking : this.allowing;
    const { id } = layer.sourceOf(row);
    if (!met.includes(id)) met.push(id);
  }

  onPattern(layer: RuleLayer, row: number, outcome: number): void {
    this.onRule(layer, row, outcome);
  }
}
