// Extensions after the name or the regular expression of a user: `;querytype=A,AAAA` or `;querytype=!A`,
// `;client=tablet`, `;reply=…`, once for each family when it is an address, `;important`, and after patterns
// `;invert`. Names contain no semicolon, so the first one ends the subject of the rule. A family without an
// address is answered with its null address.

import { ipText, nameToText, Type, typeFromText, typeText } from '#wire';

import type { AnswerForm } from '../verdict.ts';
import { addressBytes } from './address-text.ts';
import { domainBytes } from './domain-text.ts';
import { DomainReader } from './domain-reader.ts';
import { readRuleClients } from './rule-clients.ts';
import { plainOptions } from './rule-options.ts';
import type { Choice, RuleOptions } from './scanned-rule.ts';

export type Extensions =
  | {
      readonly isFine: true;
      readonly options: RuleOptions | undefined;
      readonly isImportant: boolean;
      readonly parts: ExtensionParts;
    }
  | { readonly isFine: false; readonly hint: string; readonly position: number };

/** Each extension in its stored form; by these names, in their order. */
export type ExtensionParts = Readonly<Partial<Record<Part, string>>>;
type Part = (typeof partOrder)[number];

const partOrder = ['querytype', 'client', 'reply', 'ipv4', 'ipv6', 'invert', 'important'] as const;

/** The stored text after the name or the expression: however it was written, one rule has one text. */
export function extensionsText(parts: ExtensionParts): string {
  return partOrder.map((name) => (parts[name] === undefined ? '' : `;${parts[name]}`)).join('');
}

interface Draft {
  options: RuleOptions;
  isImportant: boolean;
  parts: ExtensionParts;
}

/** Types with a name; all others are OTHER. */
const NAMED_TYPES: readonly number[] = [
  Type.A,
  Type.AAAA,
  Type.ANY,
  Type.SRV,
  Type.SOA,
  Type.PTR,
  Type.TXT,
  Type.NAPTR,
  Type.MX,
  Type.DS,
  Type.RRSIG,
  Type.DNSKEY,
  Type.NS,
  Type.SVCB,
  Type.HTTPS,
];
const OTHER = 'OTHER';

const REPLIES: ReadonlyMap<string, AnswerForm> = new Map([
  ['NODATA', { kind: 'nodata' }],
  ['NXDOMAIN', { kind: 'nx' }],
  ['REFUSED', { kind: 'refused' }],
  ['NONE', { kind: 'drop' }],
  ['IP', { kind: 'ip' }],
]);

/** `from`: the position of the first `;`; -1 without one. */
export function readExtensions(text: string, from: number, kind: 'exact' | 'regex'): Extensions {
  if (from === -1) return { isFine: true, options: undefined, isImportant: false, parts: {} };
  const draft: Draft = { options: plainOptions, isImportant: false, parts: {} };
  let at = from + 1;
  for (const part of text.slice(at).split(';')) {
    const problem = addExtension(draft, part, kind);
    if (problem !== undefined) return { isFine: false, hint: problem.hint, position: at + problem.offset };
    at += part.length + 1;
  }
  const { options, isImportant, parts } = draft;
  return { isFine: true, options: options === plainOptions ? undefined : options, isImportant, parts };
}

interface Problem {
  readonly hint: string;
  /** Its position in the extension, from 0 on. */
  readonly offset: number;
}

/** Returns the problem; undefined when it was understood. */
function addExtension(draft: Draft, part: string, kind: 'exact' | 'regex'): Problem | undefined {
  const word = part.toLowerCase();
  if (word === 'important') {
    draft.isImportant = true;
    draft.parts = { ...draft.parts, important: word };
    return undefined;
  }
  if (word === 'invert' && kind === 'exact') return wholly('Only regular expressions can have "invert"');
  const valueAt = part.indexOf('=') + 1;
  const read = readOption(draft.options, word, part.slice(valueAt));
  if (read === undefined) return wholly(`Invalid option "${part}"`);
  if (typeof read === 'string') return wholly(read);
  if ('hint' in read) return { ...read, offset: valueAt + read.offset };
  draft.options = read.options;
  draft.parts = { ...draft.parts, ...read.parts };
  return undefined;
}

function wholly(hint: string): Problem {
  return { hint, offset: 0 };
}

/** Options with one added, and the stored form of that one. */
interface Added {
  readonly options: RuleOptions;
  readonly parts: ExtensionParts;
}

/** The options with this one added, or its problem; undefined when no option has this name. */
function readOption(options: RuleOptions, word: string, value: string): Added | Problem | string | undefined {
  if (word === 'invert') return { options: { ...options, isInverted: true }, parts: { invert: word } };
  if (word.startsWith('querytype=')) return withTypes(options, value);
  if (word.startsWith('client=')) return withClients(options, value);
  return word.startsWith('reply=') ? withReply(options, value) : undefined;
}

function withTypes(options: RuleOptions, value: string): Added | string {
  if (options.types !== undefined) return `Multiple querytype options are not allowed: "${value}"`;
  const isExcept = value.startsWith('!');
  const words = (isExcept ? value.slice(1) : value).toUpperCase().split(',');
  const unknown = words.find((word) => word !== OTHER && typeFromText(word) === undefined);
  if (unknown !== undefined) return `Unknown querytype "${unknown}"`;
  const querytype = `querytype=${isExcept ? '!' : ''}${typesText(words)}`;
  return { options: { ...options, types: typeChoice(words, isExcept) }, parts: { querytype } };
}

function withClients(options: RuleOptions, value: string): Added | Problem | string {
  if (options.clients !== undefined) return `Multiple client options are not allowed: "${value}"`;
  const read = readRuleClients(value);
  if ('hint' in read) return read;
  return { options: { ...options, clients: read.choice }, parts: { client: `client=${read.text}` } };
}

/** Without duplicates, in their order. */
function typesIn(words: readonly string[]): readonly number[] {
  return [...new Set(words.flatMap((word) => typeFromText(word) ?? []))].toSorted((a, b) => a - b);
}

/** OTHER is the last. */
function typesText(words: readonly string[]): string {
  const texts = typesIn(words).map(typeText);
  return (words.includes(OTHER) ? [...texts, OTHER] : texts).join(',');
}

/** OTHER is every type without a name, so a choice with it is the opposite choice among the named. */
function typeChoice(words: readonly string[], isExcept: boolean): Choice<number> {
  const types = typesIn(words);
  const isOther = words.includes(OTHER);
  const listed = isOther ? NAMED_TYPES.filter((type) => !types.includes(type)) : types;
  return isExcept === isOther ? { only: listed, except: [] } : { only: [], except: listed };
}

function withReply(options: RuleOptions, value: string): Added | string {
  const address = addressBytes(value);
  if (address !== undefined) return withAddress(options, address, value);
  if (options.form !== undefined) return `Multiple reply options are not allowed: "${value}"`;
  const word = value.toUpperCase();
  const form = REPLIES.get(word) ?? cnameForm(value);
  if (typeof form === 'string') return form;
  const text = form.kind === 'cname' ? `CNAME,${nameToText(form.target)}` : word;
  return { options: { ...options, form }, parts: { reply: `reply=${text}` } };
}

function withAddress(options: RuleOptions, address: Uint8Array, value: string): Added | string {
  const [family, other] = address.length === 4 ? (['ipv4', 'ipv6'] as const) : (['ipv6', 'ipv4'] as const);
  const { form } = options;
  const parts = { [family]: `reply=${ipText(address)}` };
  if (form === undefined) {
    const none = new Uint8Array(address.length === 4 ? 16 : 4);
    return { options: { ...options, form: addresses(family, address, none) }, parts };
  }
  if (form.kind !== 'addresses' || !isNull(form[family])) {
    return `Multiple reply options are not allowed: "${value}"`;
  }
  const whole = addresses(family, address, form[other][0] ?? new Uint8Array(0));
  return { options: { ...options, form: whole }, parts };
}

function isNull(list: readonly Uint8Array[]): boolean {
  return list.every((bytes) => bytes.every((byte) => byte === 0));
}

function addresses(family: 'ipv4' | 'ipv6', own: Uint8Array, other: Uint8Array): AnswerForm {
  const [ipv4, ipv6] = family === 'ipv4' ? [[own], [other]] : [[other], [own]];
  return { kind: 'addresses', ipv4, ipv6 };
}

function cnameForm(value: string): AnswerForm | string {
  if (!/^CNAME\b/i.test(value)) return `Unknown reply type "${value}"`;
  const target = domainBytes(value.slice('CNAME,'.length), new DomainReader());
  return target === undefined ? `Missing domain for CNAME "${value}"` : { kind: 'cname', target };
}
