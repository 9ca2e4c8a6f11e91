// The key of a user's rule: its text in the stored form, its type and its kind. The same parser as in the dns
// workers decides whether the text is a rule, and what its stored form is.

import { fail, limits, type Failure } from '#contract';
import {
  loadPatternCheck,
  MAX_PATTERN_SIZE,
  maxPatternSize,
  parseUserRule,
  patternSize,
  trustPatterns,
  type PatternCheck,
  type UserRuleProblem,
} from '#policy';
import type { ChangeScope, Collection } from '#store/database';
import { type DomainKey, domainTable, type StoredDomain } from '#store/database/entities';
import { expressionsFull } from './capacity.ts';

export interface CheckedKey extends DomainKey {
  readonly warning: string | undefined;
}

type KeyFailure = 'invalidDomain' | 'invalidName' | 'blanks' | 'invalidRegex';

const failures: Readonly<Record<UserRuleProblem['kind'], KeyFailure>> = {
  notDomain: 'invalidDomain',
  notIdn: 'invalidName',
  blanks: 'blanks',
  notRegex: 'invalidRegex',
};

/** The key in its stored form. */
function checkedKey(
  { domain, type, kind }: DomainKey,
  check: PatternCheck,
): CheckedKey | Failure<KeyFailure> {
  const parsed = parseUserRule({ domain, kind, action: actionOf(type) }, check);
  return parsed.isRule
    ? { domain: parsed.text, type, kind, warning: parsed.warning }
    : fail(failures[parsed.kind], parsed.hint);
}

/**
 * The expressions of a request are compiled before it is answered, so there is a limit for their text, and
 * one for what is built from it: more cannot be stored anyway.
 */
export function regexSizeFailure(
  keys: readonly DomainKey[],
): Failure<'invalidRegex' | 'collectionFull'> | undefined {
  const texts = keys.filter(({ kind }) => kind === 'regex').map(({ domain }) => domain);
  const most = limits.regexTextPerRequest;
  if (texts.reduce((sum, { length }) => sum + length, 0) > most)
    return fail('invalidRegex', `One request may have ${most} characters of expressions.`);
  const size = [...new Set(texts)].reduce((sum, text) => sum + compiledSize(text), 0);
  return size <= maxPatternSize ? undefined : expressionsFull(size);
}

/** One that is too large by itself is refused without being compiled. */
function compiledSize(text: string): number {
  const size = patternSize(text.replace(/;.*/su, ''));
  return size > MAX_PATTERN_SIZE ? 0 : size;
}

/** The keys in their stored form, or the first problem. */
export async function checkedKeys(
  { type, kind }: Pick<DomainKey, 'type' | 'kind'>,
  texts: readonly string[],
): Promise<readonly CheckedKey[] | Failure<KeyFailure>> {
  const keys: CheckedKey[] = [];
  const check = kind === 'regex' ? await loadPatternCheck({ seeksNothing: true }) : trustPatterns;
  for (const domain of texts) {
    // Compiling an expression is synchronous; other requests can run between two of them.
    if (kind === 'regex') await new Promise((resolve) => setImmediate(resolve));
    const key = checkedKey({ domain, type, kind }, check);
    if ('failure' in key) return key;
    keys.push(key);
  }
  return keys;
}

/**
 * The keys under which a rule with this text may be stored. First as an earlier version stored it, with the
 * extensions as typed, then in today's form. A text that is not a rule is looked up unchanged.
 */
export function storedKeys({ domain, type, kind }: DomainKey): readonly DomainKey[] {
  const parsed = parseUserRule({ domain, kind, action: actionOf(type) }, trustPatterns);
  if (!parsed.isRule) return [{ domain, type, kind }];
  const subject = parsed.text.replace(/;.*/su, '');
  const typed = domain.includes(';') ? subject + domain.slice(domain.indexOf(';')) : parsed.text;
  return [...new Set([typed, parsed.text])].map((text) => ({ domain: text, type, kind }));
}

/** The entry of the first key that has one. */
export function storedAt(
  domains: Pick<Collection<StoredDomain>, 'get'>,
  keys: readonly DomainKey[],
): StoredDomain | undefined {
  for (const key of keys) {
    const found = domains.get(domainTable.keyOf(key));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The same from the database. */
export async function findStored(
  scope: Pick<ChangeScope, 'db'>,
  keys: readonly DomainKey[],
): Promise<StoredDomain | undefined> {
  for (const key of keys) {
    const found = await domainTable.find(scope, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function actionOf(type: DomainKey['type']) {
  return type === 'allow' ? 'allow' : 'block';
}
