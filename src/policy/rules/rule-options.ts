// Creates and shares the options of rules. A zone of a million lines that all mean NXDOMAIN has one options
// object.

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

/** Options for the answer of a single rule; undefined for the usual answer. */
export function formOptions(form: AnswerForm | undefined): RuleOptions | undefined {
  return form === undefined ? undefined : { ...plainOptions, form };
}

/** Whether anything besides the name or pattern decides if the rule applies. */
export function isNarrowed(options: RuleOptions | undefined): boolean {
  if (options === undefined) return false;
  const { types, denyallow, clients, tags } = options;
  return [types, denyallow, clients, tags].some((option) => option !== undefined);
}
