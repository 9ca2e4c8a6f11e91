// The rules of an explanation with what people know them by: own rules as they were written, rules of lists
// with the list, the line and since when the copy is there.

import type { Explained, MetRule } from '#engine';
import type { FoundRule } from '#lists/search';
import { type StoredList, withMaskedAddress } from '#store/database/entities';
import type { ExplanationInput, RuleResult } from './explanation-input.ts';

/** All rules that were met, of the name and of what the answer leads to. */
export const rulesIn = ({ rules, targets }: Explained): readonly MetRule[] => [
  ...(rules?.rules ?? []),
  ...targets.flatMap((target) => target.rules),
];

export function toldRules(told: ExplanationInput, rules: readonly MetRule[]): RuleResult[] {
  return rules.map((rule) => ({
    ...common(rule),
    ...(rule.listId === 0 ? ownRule(told, rule) : listRule(told, rule)),
  }));
}

const common = (rule: MetRule) => ({
  wins: rule.isWinner,
  row: rule.row,
  outcome: rule.outcome,
  action: rule.action,
  important: rule.isImportant,
  kind: rule.kind,
  reach: rule.reach,
  about: rule.about,
});

type Source = Pick<RuleResult, 'since' | 'own' | 'list'>;

/** One that was deleted a moment ago is told without its fields. */
function ownRule({ read }: ExplanationInput, { ruleId }: MetRule): Source {
  const [stored] = read.domains.filter(({ id }) => id === ruleId);
  if (stored === undefined) return { since: null, own: null, list: null };
  const { id, domain, type, kind, comment, date_added } = stored;
  return { since: date_added, own: { id, domain, type, kind, comment }, list: null };
}

function listRule({ read, lines }: ExplanationInput, rule: MetRule): Source {
  const { listId: id } = rule;
  const [stored] = read.lists.filter((list) => list.id === id);
  const found = lineOf(lines, rule);
  const place = { line: rule.line > 0 ? rule.line : (found?.line ?? null), text: found?.text ?? null };
  const since = sinceOf(found, stored);
  if (stored === undefined)
    return { since, own: null, list: { id, address: null, comment: null, type: null, ...place } };
  const { address, comment, type } = withMaskedAddress(stored);
  return { since, own: null, list: { id, address, comment, type, ...place } };
}

/** When the copy came; without a copy, when the list changed last. */
function sinceOf(found: FoundRule | undefined, stored: StoredList | undefined): number | null {
  if (found !== undefined) return Math.floor(found.fetchedMs / 1000);
  return stored === undefined || stored.date_updated === 0 ? null : stored.date_updated;
}

/** In a list that allows, all lines do, whatever they say: the action is compared last. */
function lineOf(lines: readonly FoundRule[], rule: MetRule): FoundRule | undefined {
  const same = lines.filter(
    ({ listId, about, reach }) =>
      // A range of addresses says itself how far it reaches.
      listId === rule.listId && about === rule.about && (rule.kind === 'address' || reach === rule.reach),
  );
  const important = same.filter(({ isImportant }) => isImportant === rule.isImportant);
  return important.find(({ action }) => action === rule.action) ?? important[0] ?? same[0];
}
