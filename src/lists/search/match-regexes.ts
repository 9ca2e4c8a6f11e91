// Which of the user's regular expressions match a name. Uses the same matcher as queries, with all
// expressions in one automaton, regardless of their groups and of whether they are enabled.

import { createOwnLayer, createPolicy, parseUserRule, SnapshotBuilder, trustPatterns } from '#policy';
import { nameFromText, Type } from '#wire';

export interface RegexRule {
  readonly id: number;
  readonly domain: string;
}

/** The ids of the expressions that match; an invalid expression matches nothing. */
export async function matchRegexes(regexes: readonly RegexRule[], text: string): Promise<readonly number[]> {
  const name = nameFromText(text);
  const lists = new SnapshotBuilder({ expectedNames: 0 }).finishHere();
  if (name === undefined || lists === undefined || regexes.length === 0) return [];
  const rules = regexes.flatMap(({ id, domain }) => {
    const parsed = parseUserRule({ domain, kind: 'regex', action: 'block' }, trustPatterns);
    return parsed.isRule ? [{ id, groups: [0], rule: parsed.rule }] : [];
  });
  const policy = await createPolicy({
    version: 1,
    lists,
    listsInForce: [],
    own: createOwnLayer(rules, lists.key),
    clients: [],
    defaultGroups: [0],
    isBlocking: true,
  });
  const { steps } = policy.explain(name, name.length, Type.A, 0);
  return steps.map(({ ruleId }) => ruleId).toSorted((a, b) => a - b);
}
