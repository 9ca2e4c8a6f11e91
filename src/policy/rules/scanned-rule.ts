// What the scanner hands over for each rule that it finds, and what it reports at the end. One ScannedRule
// object is filled again and again: a list of a million plain names must make neither a million objects nor a
// million strings. Whoever keeps something of it copies it; `options`, `pattern` and `address` are never
// written to again and may be kept as they are.

import type { AnswerForm } from '../verdict.ts';

export type RuleAction = 'block' | 'allow';

/**
 * exact: the name alone; below: the name and everything below it; onlyBelow: what is below it, not itself.
 */
export type RuleReach = 'exact' | 'below' | 'onlyBelow';

/** Holds for x when `only` is empty or has x, and `except` has it not. */
export interface Choice<T> {
  readonly only: readonly T[];
  readonly except: readonly T[];
}

/**
 * What few rules have. The common ones (say: "answer NXDOMAIN" and nothing else) are constants, the same
 * object for every line, so that they can be interned by identity.
 */
export interface RuleOptions {
  /** Types of queries, by number. */
  readonly types: Choice<number> | undefined;
  /**
   * Names (lower-cased wire bytes with the root label); the rule leaves them and what is below them alone.
   */
  readonly denyallow: readonly Uint8Array[] | undefined;
  /** Addresses, ranges (10.0.0.0/8, fd00::/8) and names of clients, as written, in lower case. */
  readonly clients: Choice<string> | undefined;
  /** Tags of clients, in lower case. */
  readonly tags: Choice<string> | undefined;
  /** How a match is answered; undefined: as the setting says. A family without addresses is NODATA. */
  readonly form: AnswerForm | undefined;
  /** The rule that is like this one in everything else is switched off, in whatever list it stands. */
  readonly isBadfilter: boolean;
  /** Matches when the pattern does not. Only rules of users have it. */
  readonly isInverted: boolean;
}

/** An address that answers may not give away: 4 or 16 bytes, of which the first `prefixBits` bits count. */
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
  /** From 1 on; 0 for a rule of the user's own. */
  line: number;
  isImportant: boolean;
  /** undefined for nearly all. */
  options: RuleOptions | undefined;
  /**
   * A regular expression for re2js, to be searched for (not anchored) in the lower-cased text of the name
   * without its last dot, whatever the case of its letters.
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

/** What the text as a whole is. Nothing but 'rules' is a list; a page or a program has no entries. */
export type TextKind = 'rules' | 'empty' | 'html' | 'binary';

/** A line that is no rule, and why. */
export interface LineSample {
  /** From 1 on. */
  readonly line: number;
  /** Printable and cut to a bounded length. */
  readonly text: string;
  readonly reason: string;
}

export interface RuleReport {
  readonly looksLike: TextKind;
  /** Lines in all, comments and blank ones included. */
  readonly lines: number;
  /** Rules handed to the sink, duplicates included. */
  readonly entries: number;
  /** Lines that mean something elsewhere (cosmetic rules, paths, modifiers of browsers), not in DNS. */
  readonly skipped: number;
  /** Lines that mean nothing. */
  readonly invalid: number;
  /** The first few of the invalid lines, then of the skipped ones. */
  readonly samples: readonly LineSample[];
  /** Entries per format. */
  readonly formats: Readonly<Record<RuleFormat, number>>;
}
