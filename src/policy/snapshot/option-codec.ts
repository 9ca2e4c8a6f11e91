// The options of rare rules as JSON, and back. Options are compared by this text, so that a million rules
// with `$dnstype=AAAA` share one entry, and a badfilter finds its rule.

import type { AnswerForm } from '../verdict.ts';
import type { RuleOptions } from '../rules/scanned-rule.ts';

function hex(data: Uint8Array): string {
  return Buffer.from(data).toString('hex');
}
function bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'hex'));
}

/** Without isBadfilter, which is a flag of the row. */
export function optionsToText(options: RuleOptions): string {
  const { types, denyallow, clients, tags, form, isInverted } = options;
  return JSON.stringify({
    ...(types === undefined ? {} : { types }),
    ...(denyallow === undefined ? {} : { denyallow: denyallow.map(hex) }),
    ...(clients === undefined ? {} : { clients }),
    ...(tags === undefined ? {} : { tags }),
    ...(form === undefined ? {} : { form: packForm(form) }),
    ...(isInverted ? { isInverted } : {}),
  });
}

/** Only for texts of `optionsToText`: a file's checksum is verified before. */
export function optionsFromText(text: string): RuleOptions {
  // Written by optionsToText, as the checksum proves.
  const packed = JSON.parse(text) as PackedOptions;
  return {
    types: packed.types,
    denyallow: packed.denyallow?.map(bytes),
    clients: packed.clients,
    tags: packed.tags,
    form: packed.form === undefined ? undefined : unpackForm(packed.form),
    isBadfilter: false,
    isInverted: packed.isInverted ?? false,
  };
}

interface PackedOptions {
  readonly types?: RuleOptions['types'];
  readonly denyallow?: readonly string[];
  readonly clients?: RuleOptions['clients'];
  readonly tags?: RuleOptions['tags'];
  readonly form?: PackedForm;
  readonly isInverted?: boolean;
}

type Plain = Exclude<AnswerForm, { readonly kind: 'addresses' | 'cname' }>;
type PackedForm =
  | Plain
  | { readonly kind: 'addresses'; readonly ipv4: readonly string[]; readonly ipv6: readonly string[] }
  | { readonly kind: 'cname'; readonly target: string };

function packForm(form: AnswerForm): PackedForm {
  if (form.kind === 'cname') return { kind: 'cname', target: hex(form.target) };
  if (form.kind !== 'addresses') return { kind: form.kind };
  return { kind: 'addresses', ipv4: form.ipv4.map(hex), ipv6: form.ipv6.map(hex) };
}

function unpackForm(form: PackedForm): AnswerForm {
  if (form.kind === 'cname') return { kind: 'cname', target: bytes(form.target) };
  if (form.kind !== 'addresses') return form;
  return { kind: 'addresses', ipv4: form.ipv4.map(bytes), ipv6: form.ipv6.map(bytes) };
}
