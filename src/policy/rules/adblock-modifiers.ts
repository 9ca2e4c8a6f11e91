// The modifiers after the `$` of an adblock rule. Those of DNS are supported. A rule with modifiers of
// browsers cannot be applied by DNS (`||x^$third-party` must not block x itself), so it is skipped as a
// whole; an unknown modifier makes a rule invalid. `all` and `document` of a blocking rule mean the whole
// page, hence the name.

import { typeFromText } from '#wire';

import { readRewrite } from './adblock-rewrite.ts';
import { splitUnescaped, unquoted } from './adblock-text.ts';
import { isBrowserModifier } from './browser-modifiers.ts';
import { domainBytes } from './domain-text.ts';
import type { DomainReader } from './domain-reader.ts';
import { MAX_MODIFIER_VALUES, MAX_MODIFIERS } from './limits.ts';
import { Invalid, Skip } from './reasons.ts';
import { plainOptions } from './rule-options.ts';
import type { Choice, RuleAction, RuleOptions } from './scanned-rule.ts';

export interface Modifiers {
  readonly kind: 'fine';
  readonly isImportant: boolean;
  readonly options: RuleOptions | undefined;
}

export type ModifiersFound =
  | Modifiers
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly reason: string };

interface Draft {
  isImportant: boolean;
  options: RuleOptions;
}

const none: Modifiers = { kind: 'fine', isImportant: false, options: undefined };
const importantOnly: Modifiers = { kind: 'fine', isImportant: true, options: undefined };
const WHOLE_PAGE: ReadonlySet<string> = new Set(['all', 'document', 'doc']);

/** `text`: what follows the `$`; undefined when there is none. `reader` is written to. */
export function readModifiers(
  text: string | undefined,
  action: RuleAction,
  reader: DomainReader,
): ModifiersFound {
  if (text === undefined) return none;
  const parts = splitUnescaped(text, ',');
  if (parts.length > MAX_MODIFIERS) return invalid('too many modifiers');
  const names = parts.map((part) => part.trim().replace(/=.*$/s, '').toLowerCase());
  if (names.some((name) => isForBrowsers(name, action))) return { kind: 'skip', reason: Skip.modifier };
  const draft: Draft = { isImportant: false, options: plainOptions };
  for (const part of parts) {
    const problem = addModifier(draft, part.trim(), action, reader);
    if (problem !== undefined) return invalid(problem);
  }
  if (draft.options === plainOptions) return draft.isImportant ? importantOnly : none;
  return { kind: 'fine', ...draft };
}

function invalid(reason: string): ModifiersFound {
  return { kind: 'invalid', reason };
}

function isForBrowsers(name: string, action: RuleAction): boolean {
  return isBrowserModifier(name) || (action === 'allow' && WHOLE_PAGE.has(name));
}

/** Returns the problem; undefined when it was understood. */
function addModifier(
  draft: Draft,
  part: string,
  action: RuleAction,
  reader: DomainReader,
): string | undefined {
  const at = part.indexOf('=');
  const name = (at === -1 ? part : part.slice(0, at)).toLowerCase();
  const value = at === -1 ? '' : part.slice(at + 1);
  if (name === 'important') draft.isImportant = true;
  else if (name === 'badfilter') draft.options = { ...draft.options, isBadfilter: true };
  else if (name === 'dnsrewrite') return addRewrite(draft, value, action, reader);
  else if (LISTS.has(name)) return addList(draft, name, value, reader);
  else if (!WHOLE_PAGE.has(name) && !/^_+$/.test(name)) {
    return name === '' ? 'an empty modifier' : `an unknown modifier: ${name}`;
  }
  return undefined;
}

const LISTS: ReadonlySet<string> = new Set(['dnstype', 'denyallow', 'client', 'ctag']);

function addRewrite(
  draft: Draft,
  value: string,
  action: RuleAction,
  reader: DomainReader,
): string | undefined {
  if (action === 'allow') return Invalid.rewriteException;
  const rewrite = readRewrite(value, reader);
  if (typeof rewrite === 'string') return rewrite;
  draft.options = { ...draft.options, form: rewrite };
  return undefined;
}

function addList(draft: Draft, name: string, value: string, reader: DomainReader): string | undefined {
  const values = splitUnescaped(value, '|').map((word) => word.trim());
  if (value === '' || values.includes('')) return `$${name} needs a value`;
  if (values.length > MAX_MODIFIER_VALUES) return `$${name} has too many values`;
  if (name === 'dnstype') return addTypes(draft, values);
  if (name === 'denyallow') return addDenyallow(draft, values, reader);
  const choice = choiceOf(values, (word) => unquoted(word).toLowerCase());
  draft.options = { ...draft.options, [name === 'client' ? 'clients' : 'tags']: choice };
  return undefined;
}

function addTypes(draft: Draft, values: readonly string[]): string | undefined {
  const unknown = values.find((word) => typeFromText(word.replace(/^~/, '')) === undefined);
  if (unknown !== undefined) return `an unknown type in $dnstype: ${unknown}`;
  const types = choiceOf(values, (word) => typeFromText(word) ?? 0);
  draft.options = { ...draft.options, types };
  return undefined;
}

function addDenyallow(draft: Draft, values: readonly string[], reader: DomainReader): string | undefined {
  const denyallow: Uint8Array[] = [];
  for (const word of values) {
    const name = domainBytes(word, reader);
    if (name === undefined) return `not a domain in $denyallow: ${word}`;
    denyallow.push(name);
  }
  draft.options = { ...draft.options, denyallow };
  return undefined;
}

function choiceOf<T>(values: readonly string[], read: (word: string) => T): Choice<T> {
  return {
    only: values.filter((word) => !word.startsWith('~')).map((word) => read(word)),
    except: values.filter((word) => word.startsWith('~')).map((word) => read(word.slice(1))),
  };
}
