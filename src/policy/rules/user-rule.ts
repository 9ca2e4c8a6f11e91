// One rule that a user wrote: a name, a name with everything below it, or a regular expression, and after `;`
// its extensions. The result is the scanner's form as a new object, with the text to be stored; or a problem
// with its position. Both storing and compiling rules parse them here, so that an accepted rule is in force.

import { stepsPerSet } from '../patterns/budget.ts';
import { addressBytes } from './address-text.ts';
import { MAX_PATTERN_SIZE, MAX_USER_PATTERN_CHARACTERS } from './limits.ts';
import type { PatternCheck, PatternFinding } from './pattern-check.ts';
import { patternSize } from '../patterns/pattern-size.ts';
import { toLinearSyntax } from './regex-syntax.ts';
import { extensionsText, readExtensions, type Extensions } from './rule-extensions.ts';
import type { RuleAction, RuleOptions, RuleReach, ScannedRule } from './scanned-rule.ts';
import { readUserName, type NameProblem } from './user-name.ts';

export interface UserRuleText {
  readonly domain: string;
  /** exact: a name, optionally with `*.` in front. */
  readonly kind: 'exact' | 'regex';
  readonly action: RuleAction;
}

export interface UserRule {
  readonly isRule: true;
  readonly rule: ScannedRule;
  /** As stored: names in lower case and A-labels, expressions as written, extensions in one form. */
  readonly text: string;
  /** What the user should know about an accepted rule. */
  readonly warning: string | undefined;
}

export interface UserRuleProblem {
  readonly isRule: false;
  readonly kind: NameProblem['kind'] | 'notRegex';
  /** What and where, as a message. */
  readonly hint: string;
  /** The position of the problem, from 0 on. */
  readonly position: number;
}

/** For rules that were checked when they were stored. */
export const trustPatterns: PatternCheck = (): PatternFinding => ({ kind: 'fine' });

/** `check` is called for expressions only. */
export function parseUserRule(text: UserRuleText, check: PatternCheck): UserRule | UserRuleProblem {
  const end = text.domain.indexOf(';');
  const written = end === -1 ? text.domain : text.domain.slice(0, end);
  const extensions = readExtensions(text.domain, end, text.kind);
  return text.kind === 'regex'
    ? parseRegex(text, written, extensions, check)
    : parseName(text, written, extensions);
}

type Read = Extract<Extensions, { readonly isFine: true }>;

function parseName(
  { domain, action }: UserRuleText,
  written: string,
  extensions: Extensions,
): UserRule | UserRuleProblem {
  const name = readUserName(written, action);
  if (!name.isFine) return { ...name, isRule: false };
  if (!extensions.isFine) return problem('notDomain', domain, extensions.hint, extensions.position);
  const isImportant = extensions.isImportant || name.isImportant;
  const rule = ruleOf(action, name.reach, name.name, { ...extensions, isImportant });
  const parts = isImportant ? { ...extensions.parts, important: 'important' } : extensions.parts;
  const stored = `${name.text}${extensionsText(parts)}`;
  return { isRule: true, rule, text: stored, warning: nameWarning(written, action, rule) };
}

function parseRegex(
  { domain, action }: UserRuleText,
  written: string,
  extensions: Extensions,
  check: PatternCheck,
): UserRule | UserRuleProblem {
  const most = MAX_USER_PATTERN_CHARACTERS;
  if (written.length > most) return problem('notRegex', '', `Longer than ${most} characters`, most);
  if (!extensions.isFine) return problem('notRegex', domain, extensions.hint, extensions.position);
  const syntax = toLinearSyntax(written);
  if (!syntax.isFine) return problem('notRegex', domain, syntax.hint, syntax.position);
  if (patternSize(syntax.pattern) > MAX_PATTERN_SIZE)
    return problem('notRegex', domain, TOO_LARGE, firstRepetition(written));
  const finding = check(syntax.pattern);
  if (finding.kind === 'costly') return problem('notRegex', domain, TOO_COSTLY, firstRepetition(written));
  if (finding.kind === 'wrong') {
    const position = syntax.origins[finding.position] ?? written.length;
    return problem('notRegex', domain, finding.message, position);
  }
  const rule = { ...ruleOf(action, 'exact', noName, extensions), pattern: syntax.pattern };
  const warning = rangeWarning(finding, rule) ?? idleReply(action, rule.options);
  return { isRule: true, rule, text: `${written}${extensionsText(extensions.parts)}`, warning };
}

/** An inverted expression matches everything except what the expression matches. */
function rangeWarning({ kind }: PatternFinding, { action, options }: ScannedRule): string | undefined {
  const isInverted = options?.isInverted === true;
  if (kind === (isInverted ? 'everything' : 'nothing')) return noNames;
  const isEverything = kind === (isInverted ? 'nothing' : 'everything');
  return isEverything && !isForFew(options) ? everything[action] : undefined;
}

/** To block everything for one device is a wish, not a mistake. */
function isForFew(options: RuleOptions | undefined): boolean {
  const named = options?.clients?.only ?? [];
  return options?.types !== undefined || named.length > 0;
}

const TOO_LARGE =
  `Too large: with its repetitions expanded it has more than ${MAX_PATTERN_SIZE} characters (Unicode ` +
  'classes such as \\pL and long ranges count as many)';

const TOO_COSTLY =
  `Too expensive: a name of 253 characters can take ${stepsPerSet} steps or more. Use fewer and shorter ` +
  'repetitions of characters that match nearly everything, or none of them';

const noName = new Uint8Array(0);

function firstRepetition(written: string): number {
  return Math.max(0, written.indexOf('{'));
}

function ruleOf(
  action: RuleAction,
  reach: RuleReach,
  name: Uint8Array,
  { options, isImportant }: Pick<Read, 'options' | 'isImportant'>,
): ScannedRule {
  return {
    action,
    reach,
    name,
    nameLength: name.length,
    line: 0,
    isImportant,
    options,
    pattern: undefined,
    address: undefined,
  };
}

const everything: Readonly<Record<RuleAction, string>> = {
  block: 'It matches every name: nothing is left for the clients of its groups. Make it narrower.',
  allow: 'It matches every name: no list blocks anything for the clients of its groups. Make it narrower.',
};

const noNames =
  'It matches no name, and so has no effect: a name has letters, digits, hyphens, underscores and dots, ' +
  'and nothing of the address of a page.';

function nameWarning(written: string, action: RuleAction, { options }: ScannedRule): string | undefined {
  return addressBytes(written) === undefined ? idleReply(action, options) : notAnswers;
}

const notAnswers = 'It looks like an address, but is used as a name: addresses in answers are not matched.';

function idleReply(action: RuleAction, options: RuleOptions | undefined): string | undefined {
  return action === 'allow' && options?.form !== undefined
    ? 'A rule that allows does not answer: its reply has no effect.'
    : undefined;
}

function problem(
  kind: UserRuleProblem['kind'],
  text: string,
  what: string,
  position: number,
): UserRuleProblem {
  const where = text === '' ? '' : `, at character ${position + 1} of ${text}`;
  return { isRule: false, kind, hint: `${what}${where}`, position };
}
