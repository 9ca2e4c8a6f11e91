// The key of a user's rule: its text in the stored form, its type and its kind. The same parser as in the dns
// workers decides whether the text is a rule, and what its stored form is.

import { fail, limits, type Failure } from '#contract';
import { loadPatternCheck, parseUserRule, trustPatterns, type UserRuleProblem } from '#policy';
import type { ChangeScope, Collection } from '#store/database';
import { domainKey, type DomainKey, findDomain, type StoredDomain } from '#store/database/entities';

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
async function checkedKey({ domain, type, kind }: DomainKey): Promise<CheckedKey | Failure<KeyFailure>> {
  const check = kind === 'regex' ? await loadCheckAfterYield() : trustPatterns;
  const parsed = parseUserRule({ domain, kind, action: actionOf(type) }, check);
  return parsed.isRule
    ? { domain: parsed.text, type, kind, warning: parsed.warning }
    : fail(failures[parsed.kind], parsed.hint);
}

/** Compiling an expression is synchronous; other requests can run between two of them. */
async function loadCheckAfterYield() {
  await new Promise((resolve) => setImmediate(resolve));
  return loadPatternCheck({ seeksNothing: true });
}

/** The expressions of a request are compiled before it is answered, so their size is limited. */
export function regexSizeFailure(keys: readonly DomainKey[]): Failure<'invalidRegex'> | undefined {
  const size = keys.reduce((sum, { kind, domain }) => sum + (kind === 'regex' ? domain.length : 0), 0);
  const most = limits.regexTextPerRequest;
  return size <= most
    ? undefined
    : fail('invalidRegex', `One request may have ${most} characters of expressions.`);
}

/** The keys in their stored form, or the first problem. */
export async function checkedKeys(
  { type, kind }: Pick<DomainKey, 'type' | 'kind'>,
  texts: readonly string[],
): Promise<readonly CheckedKey[] | Failure<KeyFailure>> {
  const keys: CheckedKey[] = [];
  for (const domain of texts) {
    const key = await checkedKey({ domain, type, kind });
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
    const found = domains.get(domainKey(key));
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
    const found = await findDomain(scope, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function actionOf(type: DomainKey['type']) {
  return type === 'allow' ? 'allow' : 'block';
}
