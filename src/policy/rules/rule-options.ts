// Options of rules, made or shared. A zone of a million lines that all say NXDOMAIN has one options object.

import type { AnswerForm } from '../verdict.ts';
import type { RuleOptions } from './scanned-rule.ts';

export const plainOptions: RuleOptions = {
  types: undefined,
  denyallow: undefined,
  clients: undefined,
  tags: undefined,
  form: undefined,
  isBadfilter: false,
  isInverted: false,
};

function withKind(kind: 'nx' | 'nodata' | 'null' | 'refused' | 'drop'): RuleOptions {
  return {
    ...plainOptions,
    form: { kind },
  };
}

export const nxOptions = withKind('nx');
export const nodataOptions = withKind('nodata');
export const nullOptions = withKind('null');
export const refusedOptions = withKind('refused');
export const dropOptions = withKind('drop');

/** For an answer that a single rule asks for; nothing for the usual one. */
export function formOptions(form: AnswerForm | undefined): RuleOptions | undefined {
  return form === undefined ? undefined : { ...plainOptions, form };
}

/** Does anything besides the name or pattern decide whether the rule holds? */
export function isNarrowed(options: RuleOptions | undefined): boolean {
  if (options === undefined) return false;
  const { types, denyallow, clients, tags } = options;
  return [types, denyallow, clients, tags].some((option) => option !== undefined);
}
