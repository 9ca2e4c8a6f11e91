// The scanner's output for each rule, and its report at the end. One ScannedRule object is reused: a list of
// a million plain names must create neither a million objects nor a million strings. A sink that keeps
// something copies it; `options`, `pattern` and `address` are never changed later and may be kept without a
// copy.

import type { AnswerForm } from '../verdict.ts';

export type RuleAction = 'block' | 'allow';

/**
 * exact: the name alone; below: the name and everything below it; onlyBelow: what is below it, not itself.
 */
export type RuleReach = 'exact' | 'below' | 'onlyBelow';

/** Applies to x when `only` is empty or contains x, and `except` does not contain it. */
export interface Choice<T> {
  readonly only: readonly T[];
  readonly except: readonly T[];
}

/**
 * Options that few rules have. The common ones (such as "answer NXDOMAIN" and nothing else) are constants,
 * the same object for every line, so that they can be interned by identity.
 */
export interface RuleOptions {
  /** Types of queries, by number. */
  readonly types: Choice<number> | undefined;
  /**
   * Names (lower-cased wire bytes with the root label); the rule does not apply to them and to what is below
   * them.
   */
  readonly denyallow: readonly Uint8Array[] | undefined;
  /** Addresses, ranges (10.0.0.0/8, fd00::/8) and names of clients, as written, in lower case. */
  readonly clients: Choice<string> | undefined;
  /** Tags of clients, in lower case. */
  readonly tags: Choice<string> | undefined;
  /** How a match is answered; undefined: as the setting says. A family without addresses is NODATA. */
  readonly form: AnswerForm | undefined;
  /** Disables the rule that is equal in everything else, in any list. */
  readonly isBadfilter: boolean;
  /** Matches when the pattern does not. Only rules of users have it. */
  readonly isInverted: boolean;
}

/** An address that answers must not contain: 4 or 16 bytes, of which the first `prefixBits` bits count. */
export interface AddressRange {
  readonly bytes: Uint8Array;
  readonly prefixBits: number;
}

/** Either a name, or a pattern, or an address: `nameLength` is 0 for the other two. */
export interface ScannedRule {
  action: RuleAction;
  reach: RuleReach;
  /** 256 bytes, always the same array: lower-cased wire bytes that end with the root label. */
  readonly name: Uint8Array;
  nameLength: number;
  /** From 1 on; 0 for one of the user's own rules. */
  line: number;
  isImportant: boolean;
  /** undefined for nearly all. */
  options: RuleOptions | undefined;
  /**
   * A regular expression for re2js, which is searched (not anchored) in the lower-cased text of the name
   * without its last dot, ignoring case.
   */
  pattern: string | undefined;
  address: AddressRange | undefined;
}

export interface RuleSink {
  /** `rule` is valid during the call only. */
  onRule(rule: ScannedRule): void;
}

export type RuleFormat =
  | 'hosts'
  | 'domain'
  | 'wildcard'
  | 'adblock'
  | 'regex'
  | 'dnsmasq'
  | 'unbound'
  | 'rpz';

/** What the text as a whole is. Only 'rules' is a list; a page or a program has no entries. */
export type TextKind = 'rules' | 'empty' | 'html' | 'binary';

/** A line that is not a rule, and why. */
export interface LineSample {
  /** From 1 on. */
  readonly line: number;
  /** Printable and cut to a bounded length. */
  readonly text: string;
  readonly reason: string;
}

export interface RuleReport {
  readonly looksLike: TextKind;
  /** All lines, including comments and blank ones. */
  readonly lines: number;
  /** Emitted rules, including duplicates. */
  readonly entries: number;
  /** Lines with a meaning elsewhere (cosmetic rules, paths, modifiers of browsers), but not in DNS. */
  readonly skipped: number;
  /** Lines without a meaning. */
  readonly invalid: number;
  /** The first few of the invalid lines, then of the skipped ones. */
  readonly samples: readonly LineSample[];
  /** Entries per format. */
  readonly formats: Readonly<Record<RuleFormat, number>>;
}
