// The sentences of an explanation, for people who run a network at home: what happened, by which rule, and
// where that rule stands. Facts for programs stand beside them.

import type { AnswerLook } from '#engine';
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
  holds: 'stands behind it',
  otherGroups: 'is for other groups',
  switchedOff: 'is switched off by a badfilter rule',
  otherType: 'is for other types of queries',
  otherClient: 'is for other clients',
  excepted: 'leaves this name alone',
  blockingOff: 'does not count while blocking is off',
  unfinished: 'was not tried to its end: the expressions take too many steps for this name',
};

/** The rule and where it stands: `the list X, line 17`. */
function ruleText({ own, list, about, kind }: RuleResult): string {
  if (own !== null) return `your ${own.type === 'allow' ? 'allow' : 'deny'} rule ${quoted(own.domain)}`;
  if (list === null) return `a rule about ${about}`;
  const name = list.comment ?? list.address ?? `number ${list.id}`;
  const line = list.line === null ? '' : `, line ${list.line}`;
  return `the list ${quoted(name)}${line}${kind === 'pattern' ? ' (a regular expression)' : ''}`;
}

const quoted = (text: string): string => `"${text}"`;

/** What the rules say about a name or an address. */
export function judgedText(about: string, rules: readonly RuleResult[], verdict: string): string {
  const [winner, ...others] = rules;
  if (winner?.wins !== true) return notDecided(about, rules);
  const done = verdict === 'allow' ? 'allowed' : verdict === 'local' ? 'answered' : 'blocked';
  const rest = others.length === 0 ? '' : ` ${othersText(others)}`;
  return `${about} is ${done} by ${ruleText(winner)} (${rows[winner.row]}).${rest}`;
}

function notDecided(about: string, rules: readonly RuleResult[]): string {
  if (rules.length === 0) return `No rule is about ${about}.`;
  return `No rule decides about ${about}. ${othersText(rules)}`;
}

const shownMax = 5;

function othersText(rules: readonly RuleResult[]): string {
  const shown = rules.slice(0, shownMax).map((rule) => `${ruleText(rule)} ${outcomes[rule.outcome]}`);
  const more = rules.length > shownMax ? `; and ${rules.length - shownMax} more` : '';
  return `Also: ${shown.join('; ')}${more}.`;
}

const rcodes: Readonly<Record<number, string>> = {
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED',
};

export const rcodeText = (rcode: number): string =>
  rcode === 0 ? 'NOERROR' : (rcodes[rcode] ?? `RCODE${rcode}`);

/** What a client gets. */
export const answerText = (answer: AnswerLook): string =>
  answer.isSent ? `The client is told: ${recordsText(answer)}.` : 'The client gets no answer at all.';

/** The data of the records. */
function recordsText({ rcode, records, recordCount }: AnswerLook): string {
  if (rcode === 3) return 'that there is no such name (NXDOMAIN)';
  if (rcode !== 0) return rcodeText(rcode);
  if (recordCount === 0) return 'that there is nothing of this type';
  const data = records.slice(0, shownMax).map((record) => record.split(' ').slice(4).join(' '));
  return recordCount > shownMax ? `${data.join(', ')} and ${recordCount - shownMax} more` : data.join(', ');
}
