// The rules of an explanation, with what identifies them to people: own rules with their text, list rules
// with list, line and the date of the copy.

import type { Explained, MetRule } from '#engine';
import type { FoundRule } from '#lists/search';
import { type StoredList, withMaskedAddress } from '#store/database/entities';
import type { ExplanationInput, RuleResult } from './explanation-input.ts';

/** All rules that matched the name or a target of the answer. */
export function rulesIn({ rules, targets }: Explained): readonly MetRule[] {
  return [...(rules?.rules ?? []), ...targets.flatMap((target) => target.rules)];
}

export function ruleResults(input: ExplanationInput, rules: readonly MetRule[]): RuleResult[] {
  return rules.map((rule) => ({
    ...common(rule),
    ...(rule.listId === 0 ? ownRule(input, rule) : listRule(input, rule)),
  }));
}

function common(rule: MetRule) {
  return {
    wins: rule.isWinner,
    row: rule.row,
    outcome: rule.outcome,
    action: rule.action,
    important: rule.isImportant,
    kind: rule.kind,
    reach: rule.reach,
    about: rule.about,
  };
}

type Source = Pick<RuleResult, 'since' | 'own' | 'list'>;

/** A rule that was deleted meanwhile is shown without its fields. */
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

/** When the copy was fetched; without a copy, when the list was last updated. */
function sinceOf(found: FoundRule | undefined, stored: StoredList | undefined): number | null {
  if (found !== undefined) return Math.floor(found.fetchedMs / 1000);
  return stored === undefined || stored.date_updated === 0 ? null : stored.date_updated;
}

/** Compares the action last, because in an allow list block rules allow too. */
function lineOf(lines: readonly FoundRule[], rule: MetRule): FoundRule | undefined {
  const same = lines.filter(
    ({ listId, about, reach }) =>
      // The reach of an address range is its prefix, which `about` contains.
      listId === rule.listId && about === rule.about && (rule.kind === 'address' || reach === rule.reach),
  );
  const important = same.filter(({ isImportant }) => isImportant === rule.isImportant);
  return important.find(({ action }) => action === rule.action) ?? important[0] ?? same[0];
}
