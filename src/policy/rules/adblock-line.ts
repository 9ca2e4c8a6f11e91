// Rules in adblock syntax, as far as they concern names: `||x^` and its variants with modifiers. Pattern and
// modifiers are parsed completely before a rule is emitted, so that half a rule is never in force. Rules for
// parts of URLs and for kinds of requests are counted and skipped.

import { readModifiers, type Modifiers } from './adblock-modifiers.ts';
import { readTarget, type Target } from './adblock-target.ts';
import { readDomainText } from './domain-text.ts';
import { MAX_LOOSE_PATTERNS, MAX_PATTERN_CHARACTERS, MAX_PATTERN_SIZE, MAX_PATTERNS } from './limits.ts';
import { isLoosePattern } from './loose-pattern.ts';
import { patternSize } from '../patterns/pattern-size.ts';
import { Invalid, Skip } from './reasons.ts';
import { isNarrowed } from './rule-options.ts';
import type { RuleScan } from './rule-scan.ts';
import type { RuleAction } from './scanned-rule.ts';

const REGEX = /^\/(.+)\/(?:\$(.*))?$/;
const COMMENT = /\s[#!].*$/;

export function scanAdblockLine(scan: RuleScan, text: string): void {
  const action = text.startsWith('@@') ? 'allow' : 'block';
  const body = action === 'allow' ? text.slice(2) : text;
  const regex = REGEX.exec(body);
  if (regex !== null) return scanRegex(scan, action, regex[1] ?? '', regex[2]);
  const bare = body.replace(COMMENT, '').trimEnd();
  const at = bare.indexOf('$');
  const modifiers = readModifiers(at === -1 ? undefined : bare.slice(at + 1), action, scan.domain);
  if (modifiers.kind === 'skip') return scan.skip(modifiers.reason);
  const target = readTarget(at === -1 ? bare : bare.slice(0, at));
  if (target.kind === 'skip') return scan.skip(target.reason);
  if (modifiers.kind === 'invalid') return scan.reject(modifiers.reason);
  emitTarget(scan, action, target, modifiers);
}

function emitTarget(scan: RuleScan, action: RuleAction, target: Target, modifiers: Modifiers): void {
  const { options, isImportant } = modifiers;
  switch (target.kind) {
    case 'invalid':
      return scan.reject(target.reason);
    case 'skip':
      return scan.skip(target.reason);
    case 'name': {
      const problem = readDomainText(target.text, scan.domain);
      if (problem !== undefined) return scan.reject(problem);
      return scan.emit('adblock', action, target.reach, options, isImportant);
    }
    case 'address':
      return scan.emitAddress('adblock', action, target.address, options, isImportant);
    case 'everything':
      if (!isNarrowed(options)) return scan.reject(Invalid.everything);
      return emitPattern(scan, action, '.', modifiers);
    case 'pattern':
      return emitPattern(scan, action, target.pattern, modifiers);
  }
}

function emitPattern(scan: RuleScan, action: RuleAction, pattern: string, modifiers: Modifiers): void {
  if (scan.patterns >= MAX_PATTERNS) return scan.reject(Invalid.tooManyPatterns);
  if (pattern.length > MAX_PATTERN_CHARACTERS) return scan.reject(Invalid.patternTooLong);
  if (isOneTooLoose(scan, pattern)) return scan.reject(Invalid.tooManyLoose);
  scan.patterns += 1;
  if (scan.checkPattern?.(pattern).kind === 'costly') return scan.reject(Invalid.patternTooCostly);
  scan.emitPattern('adblock', action, pattern, modifiers.isImportant, modifiers.options);
}

function scanRegex(scan: RuleScan, action: RuleAction, pattern: string, text: string | undefined): void {
  const modifiers = readModifiers(text, action, scan.domain);
  if (modifiers.kind === 'skip') return scan.skip(modifiers.reason);
  if (modifiers.kind === 'invalid') return scan.reject(modifiers.reason);
  // A scheme or a slash inside: it is meant for URLs.
  if (pattern.includes('/')) return scan.skip(Skip.path);
  if (scan.patterns >= MAX_PATTERNS) return scan.reject(Invalid.tooManyPatterns);
  // Invalid ones count too: each is work for the compiler.
  scan.patterns += 1;
  const problem = regexProblem(scan, pattern, isNarrowed(modifiers.options));
  if (problem !== undefined) return scan.reject(problem);
  scan.emitPattern('regex', action, pattern, modifiers.isImportant, modifiers.options);
}

function isOneTooLoose(scan: RuleScan, pattern: string): boolean {
  if (!isLoosePattern(pattern)) return false;
  scan.loosePatterns += 1;
  return scan.loosePatterns > MAX_LOOSE_PATTERNS;
}

function regexProblem(scan: RuleScan, pattern: string, isForSome: boolean): string | undefined {
  if (pattern.length > MAX_PATTERN_CHARACTERS) return Invalid.patternTooLong;
  if (patternSize(pattern) > MAX_PATTERN_SIZE) return Invalid.patternTooLarge;
  if (isOneTooLoose(scan, pattern)) return Invalid.tooManyLoose;
  const finding = scan.checkPattern?.(pattern);
  if (finding === undefined || finding.kind === 'fine') return undefined;
  if (finding.kind === 'costly') return Invalid.patternTooCostly;
  if (finding.kind === 'wrong') return `${finding.message}, at character ${finding.position + 1}`;
  return isForSome ? undefined : Invalid.everything;
}
