// For tests: decides by looping over every rule, as a literal implementation of the precedence table. It is
// slow but obviously correct, so compiled policies are compared with it.

import { RE2JS } from 're2js';
import { nameToText } from '#wire';
import type { Choice, RuleOptions, ScannedRule } from '../../policy/rules/scanned-rule.ts';
import { noOptions } from './rules.ts';

export interface NaiveRule {
  readonly isOwn: boolean;
  /** The id of the list or of the user's rule. */
  readonly id: number;
  readonly groups: readonly number[];
  readonly rule: ScannedRule;
  /** What its `;client=` or `$client` says, as written; undefined: it is for all clients. */
  readonly clients?: Choice<string> | undefined;
}

/** The client of a query: its groups, and every text by which rules may mean it. */
export interface NaiveClient {
  readonly groups: readonly number[];
  readonly called: readonly string[];
}

function isFor({ clients }: NaiveRule, { called }: NaiveClient): boolean {
  if (clients === undefined) return true;
  const isMeant = (text: string): boolean => called.includes(text);
  return (clients.only.length === 0 || clients.only.some(isMeant)) && !clients.except.some(isMeant);
}

function below(name: string, suffix: string): boolean {
  return name === suffix || name.endsWith(`.${suffix}`);
}

function about({ rule }: NaiveRule): string {
  return nameToText(rule.name.slice(0, rule.nameLength));
}

const patterns = new Map<string, RE2JS>();

function matchesPattern(text: string, name: string): boolean {
  const pattern = patterns.get(text) ?? RE2JS.compile(text, RE2JS.CASE_INSENSITIVE);
  patterns.set(text, pattern);
  return pattern.matcher(name).find();
}

function matches(entry: NaiveRule, name: string): boolean {
  const { pattern, reach, options } = entry.rule;
  if (pattern !== undefined) return matchesPattern(pattern, name) !== (options?.isInverted ?? false);
  const own = about(entry);
  if (reach === 'exact') return name === own;
  return reach === 'below' ? below(name, own) : name.endsWith(`.${own}`);
}

function fits(options: RuleOptions | undefined, name: string, type: number): boolean {
  const types = options?.types;
  if (types !== undefined && types.only.length > 0 && !types.only.includes(type)) return false;
  if (types?.except.includes(type) === true) return false;
  return !(options?.denyallow ?? []).some((suffix) => below(name, nameToText(suffix)));
}

function rowOf({ isOwn, rule }: NaiveRule): number {
  return (isOwn ? 0 : 4) + (rule.isImportant ? 0 : 2) + (rule.action === 'allow' ? 0 : 1);
}

function closeness(entry: NaiveRule): number {
  if (entry.rule.pattern !== undefined) return 0;
  return entry.rule.reach === 'exact' ? 1000 : about(entry).split('.').length;
}

function textOf({ rule, isOwn }: NaiveRule, isBadfilter: boolean): string {
  return JSON.stringify([
    isOwn,
    rule.action,
    rule.isImportant,
    rule.pattern ?? [rule.reach, [...rule.name]],
    { ...noOptions, ...rule.options, isBadfilter: undefined },
    (rule.options?.isBadfilter ?? false) === isBadfilter,
  ]);
}

/** The rule that decides, if any. */
export function decideNaively(
  rules: readonly NaiveRule[],
  name: string,
  type: number,
  client: NaiveClient,
  isBlocking: boolean,
): NaiveRule | undefined {
  const there = rules.filter((entry) => entry.groups.some((group) => client.groups.includes(group)));
  const off = there.filter(({ rule }) => rule.options?.isBadfilter === true);
  const isOff = (entry: NaiveRule): boolean =>
    off.some((other) => textOf(other, true) === textOf(entry, false));
  return there
    .filter((entry) => entry.rule.options?.isBadfilter !== true)
    .filter((entry) => isFor(entry, client) && matches(entry, name))
    .filter((entry) => fits(entry.rule.options, name, type) && !isOff(entry))
    .filter((entry) => isBlocking || entry.rule.action === 'allow')
    .toSorted((a, b) => rowOf(a) - rowOf(b) || closeness(b) - closeness(a) || a.id - b.id)[0];
}
