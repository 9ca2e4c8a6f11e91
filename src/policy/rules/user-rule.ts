// One rule that a user wrote: a name, a name with everything below it, or a regular expression with its
// extensions behind `;`. The result is what the scanner would hand over, as an object of its own, or a
// problem in the words that clients of such APIs know, with the character where it lies.

import { asciiDomain } from './domain-text.ts';
import { domainFine, domainNumber, DomainReader } from './domain-reader.ts';
import { MAX_PATTERN_CHARACTERS } from './limits.ts';
import type { PatternCheck } from './pattern-check.ts';
import { readExtensions } from './regex-extensions.ts';
import { toLinearSyntax } from './regex-syntax.ts';
import type { RuleAction, RuleOptions, RuleReach, ScannedRule } from './scanned-rule.ts';

export interface UserRuleText {
  readonly domain: string;
  readonly kind: 'exact' | 'wildcard' | 'regex';
  readonly action: RuleAction;
}

export interface UserRule {
  readonly isRule: true;
  readonly rule: ScannedRule;
  /** Worth a warning: it holds for every name and every type. */
  readonly matchesEverything: boolean;
}

export interface UserRuleProblem {
  readonly isRule: false;
  readonly message: string;
  /** What exactly; the text itself when there is no more to say. */
  readonly hint: string;
  /** The character where the problem lies, from 0 on. */
  readonly position: number;
}

const BLANKS = 'Spaces, newlines and tabs are not allowed in domains and URLs';
const NOT_IDN = 'Invalid request: Invalid domain name';
const NOT_DOMAIN = 'Invalid domain';
const NOT_REGEX = 'Regex validation failed';

export function parseUserRule(text: UserRuleText, check: PatternCheck): UserRule | UserRuleProblem {
  if (text.kind === 'regex') return parseRegex(text, check);
  const isWildcard = text.kind === 'wildcard';
  const name = isWildcard ? text.domain.replace(/^\*?\./, '') : text.domain;
  return parseName(text, name, isWildcard ? 'below' : 'exact');
}

function parseName(text: UserRuleText, name: string, reach: RuleReach): UserRule | UserRuleProblem {
  const { domain, action } = text;
  const offset = domain.length - name.length;
  const blank = name.search(/\s/);
  if (blank !== -1) return problem(BLANKS, domain, offset + blank);
  const ascii = asciiDomain(name);
  if (ascii === undefined) {
    return problem(NOT_IDN, 'cannot be written as a DNS name', offset + name.search(/[^\u0000-\u007f]/));
  }
  const reader = new DomainReader();
  const bytes = new TextEncoder().encode(ascii);
  const status = reader.read(bytes, 0, bytes.length);
  const isName = status === domainFine || status === domainNumber;
  if (!isName || reader.stop !== bytes.length) return problem(NOT_DOMAIN, domain, offset + reader.stop);
  return { isRule: true, rule: ruleOf(action, reach, reader), matchesEverything: false };
}

function ruleOf(action: RuleAction, reach: RuleReach, reader: DomainReader): ScannedRule {
  return {
    action,
    reach,
    name: reader.name,
    nameLength: reader.length,
    line: 0,
    isImportant: false,
    options: undefined,
    pattern: undefined,
    address: undefined,
  };
}

function parseRegex({ domain, action }: UserRuleText, check: PatternCheck): UserRule | UserRuleProblem {
  const end = domain.indexOf(';');
  const written = end === -1 ? domain : domain.slice(0, end);
  if (written.length > MAX_PATTERN_CHARACTERS) {
    return problem(NOT_REGEX, `Longer than ${MAX_PATTERN_CHARACTERS} characters`, MAX_PATTERN_CHARACTERS);
  }
  const extensions = readExtensions(domain, end);
  if (!extensions.isFine) return problem(NOT_REGEX, extensions.hint, extensions.position);
  const syntax = toLinearSyntax(written);
  if (!syntax.isFine) return problem(NOT_REGEX, syntax.hint, syntax.position);
  const finding = check(syntax.pattern);
  if (finding.kind === 'wrong') {
    return problem(NOT_REGEX, finding.message, syntax.origins[finding.position] ?? written.length);
  }
  const { options } = extensions;
  const rule = { ...ruleOf(action, 'exact', new DomainReader()), pattern: syntax.pattern, options };
  return { isRule: true, rule, matchesEverything: finding.kind === 'everything' && isForAll(options) };
}

function isForAll(options: RuleOptions | undefined): boolean {
  return options === undefined || (!options.isInverted && options.types === undefined);
}

function problem(message: string, hint: string, position: number): UserRuleProblem {
  return { isRule: false, message, hint, position };
}
