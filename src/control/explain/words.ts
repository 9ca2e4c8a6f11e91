// The sentences of an explanation, for people who run a home network: what happened, by which rule, and in
// which list and line that rule is. The reply contains the same facts as fields for programs.

import type { ExplainedAnswer } from '#engine';
import type { RuleResult } from './explanation-input.ts';

const rows: Readonly<Record<RuleResult['row'], string>> = {
  ownImportantAllow: 'row 1: own rules that allow, important',
  ownImportantBlock: 'row 2: own rules that block, important',
  ownAllow: 'row 3: own rules that allow',
  ownBlock: 'row 4: own rules that block',
  listImportantAllow: 'row 5: lists, allowing, important',
  listImportantBlock: 'row 6: lists, blocking, important',
  listAllow: 'row 7: lists, allowing',
  listBlock: 'row 8: lists, blocking',
  pass: 'no row',
};

const outcomes: Readonly<Record<RuleResult['outcome'], string>> = {
  holds: 'matches too',
  otherGroups: 'is for other groups',
  switchedOff: 'is switched off by a badfilter rule',
  otherType: 'is for other types of queries',
  otherClient: 'is for other clients',
  excepted: 'excludes this name',
  blockingOff: 'does not apply while blocking is off',
  unfinished: 'was not finished: the expressions take too many steps for this name',
};

/** For example: `the list "X", line 17`. */
function ruleText({ own, list, about, kind }: RuleResult): string {
  if (own !== null) return `your ${own.type === 'allow' ? 'allow' : 'deny'} rule ${quoted(own.domain)}`;
  if (list === null) return `a rule about ${about}`;
  const name = list.comment ?? list.address ?? `number ${list.id}`;
  const line = list.line === null ? '' : `, line ${list.line}`;
  return `the list ${quoted(name)}${line}${kind === 'pattern' ? ' (a regular expression)' : ''}`;
}

function quoted(text: string): string {
  return `"${text}"`;
}

/** The verdict on a name or an address, with the rules that concern it. */
export function judgedText(about: string, rules: readonly RuleResult[], verdict: string): string {
  const [winner, ...others] = rules;
  if (winner?.wins !== true) return notDecided(about, rules);
  const done = verdict === 'allow' ? 'allowed' : verdict === 'local' ? 'answered' : 'blocked';
  const rest = others.length === 0 ? '' : ` ${othersText(others)}`;
  return `${about} is ${done} by ${ruleText(winner)} (${rows[winner.row]}).${rest}`;
}

function notDecided(about: string, rules: readonly RuleResult[]): string {
  if (rules.length === 0) return `No rule matches ${about}.`;
  return `No rule decides for ${about}. ${othersText(rules)}`;
}

const maxShown = 5;

function othersText(rules: readonly RuleResult[]): string {
  const shown = rules.slice(0, maxShown).map((rule) => `${ruleText(rule)} ${outcomes[rule.outcome]}`);
  const more = rules.length > maxShown ? `; and ${rules.length - maxShown} more` : '';
  return `Also: ${shown.join('; ')}${more}.`;
}

const rcodes: Readonly<Record<number, string>> = {
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED',
};

export function rcodeText(rcode: number): string {
  return rcode === 0 ? 'NOERROR' : (rcodes[rcode] ?? `RCODE${rcode}`);
}

export function answerText(answer: ExplainedAnswer): string {
  return answer.isSent ? `The client gets: ${recordsText(answer)}.` : 'The client gets no answer at all.';
}

/** The data of the records. */
function recordsText({ rcode, records, recordCount }: ExplainedAnswer): string {
  if (rcode === 3) return 'NXDOMAIN, no such name';
  if (rcode !== 0) return rcodeText(rcode);
  if (recordCount === 0) return 'no record of this type';
  const data = records.slice(0, maxShown).map((record) => record.split(' ').slice(4).join(' '));
  return recordCount > maxShown ? `${data.join(', ')} and ${recordCount - maxShown} more` : data.join(', ');
}
