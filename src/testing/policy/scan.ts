// For tests: scans a text and shows every rule as one short line, for tables of expected results.

import { nameToText } from '#wire';

import type { AnswerForm } from '../../policy/verdict.ts';
import type { PatternCheck } from '../../policy/rules/pattern-check.ts';
import { scanRules } from '../../policy/rules/scan-rules.ts';
import type { Choice, RuleOptions, RuleReport, ScannedRule } from '../../policy/rules/scanned-rule.ts';

export interface Scanned {
  readonly rules: readonly string[];
  readonly report: RuleReport;
}

export function scanText(text: string | Uint8Array, checkPattern?: PatternCheck): Scanned {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const rules: string[] = [];
  const report = scanRules(
    bytes,
    { onRule: (rule) => rules.push(shown(rule)) },
    checkPattern === undefined ? {} : { checkPattern },
  );
  return { rules, report };
}

/** For example `allow below x.example important types=+1`. */
export function shown(rule: ScannedRule): string {
  const words = [rule.action, ...subject(rule)];
  if (rule.isImportant) words.push('important');
  return [...words, ...optionWords(rule.options)].join(' ');
}

function subject({ pattern, address, reach, name, nameLength }: ScannedRule): string[] {
  if (pattern !== undefined) return ['pattern', pattern];
  if (address !== undefined) return ['address', `${address.bytes.join('.')}/${address.prefixBits}`];
  return [reach, nameToText(name.subarray(0, nameLength))];
}

function optionWords(options: RuleOptions | undefined): string[] {
  if (options === undefined) return [];
  const { types, denyallow, clients, tags, form, isBadfilter, isInverted } = options;
  const words: string[] = [];
  if (types !== undefined) words.push(`types=${choice(types)}`);
  if (denyallow !== undefined) words.push(`denyallow=${denyallow.map((name) => nameToText(name)).join(',')}`);
  if (clients !== undefined) words.push(`clients=${choice(clients)}`);
  if (tags !== undefined) words.push(`tags=${choice(tags)}`);
  if (form !== undefined) words.push(`form=${formText(form)}`);
  if (isBadfilter) words.push('badfilter');
  if (isInverted) words.push('inverted');
  return words;
}

function choice({ only, except }: Choice<string | number>): string {
  return [...only.map((value) => `+${value}`), ...except.map((value) => `-${value}`)].join('');
}

function formText(form: AnswerForm): string {
  if (form.kind === 'cname') return `cname:${nameToText(form.target)}`;
  if (form.kind !== 'addresses') return form.kind;
  return [...form.ipv4, ...form.ipv6].map((bytes) => bytes.join('.')).join('+');
}
