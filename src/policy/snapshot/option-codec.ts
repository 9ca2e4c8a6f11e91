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

/** Each name ends with the root label. */
function namesIn(base64: string): Uint8Array[] {
  const all = new Uint8Array(Buffer.from(base64, 'base64'));
  const names: Uint8Array[] = [];
  for (let from = 0, at = 0; at < all.length; at += (all[at] ?? 0) + 1) {
    if (all[at] !== 0) continue;
    names.push(all.subarray(from, at + 1));
    from = at + 1;
  }
  return names;
}

/** Without isBadfilter, which is a flag of the row. */
export function optionsToText(options: RuleOptions): string {
  const { types, denyallow, clients, tags, form, isInverted } = options;
  return JSON.stringify({
    ...(types === undefined ? {} : { types }),
    ...(denyallow === undefined ? {} : { denyallow: Buffer.concat(denyallow).toString('base64') }),
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
    denyallow: packed.denyallow === undefined ? undefined : namesIn(packed.denyallow),
    clients: packed.clients,
    tags: packed.tags,
    form: packed.form === undefined ? undefined : unpackForm(packed.form),
    isBadfilter: false,
    isInverted: packed.isInverted ?? false,
  };
}

interface PackedOptions {
  readonly types?: RuleOptions['types'];
  /** All names in one text: a dns worker parses it during a query. */
  readonly denyallow?: string;
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
