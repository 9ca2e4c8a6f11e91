// Which lists have a rule that holds for a name, whether it decides or not: what one would lose with a list
// is known only when the others are asked too. Filled anew for each name and made of numbers alone, since a
// survey goes over hundreds of thousands of names.

import { Flag } from '../snapshot/layout.ts';
import { LayerBase, type RuleLayer } from './rule-layer.ts';
import { Outcome, type Listener } from './walk.ts';

export class ListSurvey implements Listener {
  /** The ids of lists that block the name, each once. */
  readonly blocking: number[] = [];
  /** The same of those that allow it. */
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
