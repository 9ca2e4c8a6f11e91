// The limits of user-created data: entries of each collection, windows of schedules, expressions, rules about
// one name, clients in rules. They are checked inside a change, where the read model equals the database and
// no other change runs, so concurrent requests cannot exceed a limit together.

import { entities, fail, limits, type Failure } from '#contract';
import { maxPatterns, maxPatternSize, patternSize } from '#policy';
import type { Collection, ReadModel } from '#store/database';
import type { DomainKey, Group, StoredDomain } from '#store/database/entities';
import { clientCapacityFailure } from './rule-clients.ts';

type Full = Failure<'collectionFull'>;

const kinds = { ...entities, pauses: { maxItems: limits.pauses } } as const;

/** Why `more` further entries would exceed the limit; undefined when they would not. */
export function capacityFailure<N extends keyof typeof kinds>(
  read: Pick<ReadModel, N>,
  name: N,
  more: number,
): Full | undefined {
  const { maxItems } = kinds[name];
  return read[name].size + more <= maxItems
    ? undefined
    : fail('collectionFull', `There may be ${maxItems} ${name}.`);
}

/** The same for the windows of schedules that the groups of these names get. */
export function windowCapacityFailure(
  groups: Collection<Group>,
  names: readonly string[],
  windowsOfEach: number,
): Failure<'invalidSchedule'> | undefined {
  const isReplaced = ({ name }: Group): boolean => names.includes(name);
  return windowSumFailure(groups, isReplaced, windowsOfEach * names.length);
}

/** The same for groups that replace some of the stored groups, with this total of windows. */
export function windowSumFailure(
  groups: Collection<Group>,
  isReplaced: (group: Group) => boolean,
  windows: number,
): Failure<'invalidSchedule'> | undefined {
  if (windows === 0) return undefined;
  const others = groups.filter((group) => group.schedules.length > 0 && !isReplaced(group));
  const count = others.reduce((sum, { schedules }) => sum + schedules.length, windows);
  return count <= limits.schedules ? undefined : tooManyWindows;
}

const tooManyWindows = fail(
  'invalidSchedule',
  `All groups together may have ${limits.schedules} windows: put several days into one window.`,
);

/** The same for the rules that dns workers hold. `replaced`: the ids of the rules that these replace. */
export function ruleCapacityFailure(
  stored: Collection<StoredDomain>,
  keys: readonly DomainKey[],
  replaced: ReadonlySet<number> = new Set(),
): Full | undefined {
  const isOther = ({ id }: StoredDomain): boolean => !replaced.has(id);
  return (
    expressionCapacityFailure(stored, keys, isOther) ??
    nameCapacityFailure(stored, keys, isOther) ??
    clientCapacityFailure(stored, keys, isOther)
  );
}

type Wanted = (domain: StoredDomain) => boolean;

/** Expressions above the limit would not be in force: every dns worker holds all of them in memory. */
function expressionCapacityFailure(
  stored: Collection<StoredDomain>,
  keys: readonly DomainKey[],
  isOther: Wanted,
): Full | undefined {
  const texts = keys.filter(isRegex).map(keyOf);
  if (texts.length === 0) return undefined;
  const others = stored.filter((one) => isRegex(one) && isOther(one)).map(keyOf);
  const all = [...new Set([...others, ...texts])];
  if (all.length > maxPatterns)
    return fail('collectionFull', `There may be ${maxPatterns} regular expressions.`);
  const size = all.reduce((sum, text) => sum + patternSize(subjectOf(text.slice(typeLength))), 0);
  return size <= maxPatternSize ? undefined : expressionsFull(size);
}

export function expressionsFull(size: number): Full {
  const hint = `All expressions together may have ${maxPatternSize} signs, repetitions written out`;
  return fail('collectionFull', `${hint}; these have ${size}.`);
}

function isRegex({ kind }: DomainKey): boolean {
  return kind === 'regex';
}
const typeLength = 1;
function keyOf({ type, domain }: DomainKey): string {
  return (type === 'allow' ? '+' : '-') + domain;
}

/** Checks only rules with extensions: without them there are at most four rules about a name. */
function nameCapacityFailure(
  stored: Collection<StoredDomain>,
  keys: readonly DomainKey[],
  isOther: Wanted,
): Full | undefined {
  const counts = new Map<string, number>();
  for (const { kind, domain } of keys)
    if (kind === 'exact' && domain.includes(';')) counts.set(nameOf(domain), 0);
  if (counts.size === 0) return undefined;
  const others = stored.filter((one) => one.kind === 'exact' && isOther(one));
  for (const { domain } of [...others, ...keys]) {
    const name = nameOf(domain);
    const count = counts.get(name);
    if (count !== undefined) counts.set(name, count + 1);
  }
  const [name] = [...counts].find(([, count]) => count > limits.rulesPerName) ?? [];
  return name === undefined
    ? undefined
    : fail('collectionFull', `There may be ${limits.rulesPerName} rules about one name: ${name}.`);
}

function subjectOf(rule: string): string {
  return rule.replace(/;.*/s, '');
}
function nameOf(rule: string): string {
  return subjectOf(rule).replace(/^\*\./, '');
}
