// Where a rule of the user stands: its text in the form that is stored, its type and its kind. Whether the
// text is a rule, and what that form is, is said by the reader that the dns workers use too.

import { fail, limits, type Failure } from '#contract';
import { loadPatternCheck, parseUserRule, trustPatterns, type UserRuleProblem } from '#policy';
import {
  type ChangeScope,
  type Collection,
  domainKey,
  type DomainKey,
  findDomain,
  type StoredDomain,
} from '#store/database';

export interface CheckedPlace extends DomainKey {
  readonly warning: string | undefined;
}

type PlaceFailure = 'invalidDomain' | 'invalidName' | 'blanks' | 'invalidRegex';

const failures: Readonly<Record<UserRuleProblem['kind'], PlaceFailure>> = {
  notDomain: 'invalidDomain',
  notIdn: 'invalidName',
  blanks: 'blanks',
  notRegex: 'invalidRegex',
};

/** The place as it may be stored. */
async function placeOf({ domain, type, kind }: DomainKey): Promise<CheckedPlace | Failure<PlaceFailure>> {
  const check = kind === 'regex' ? await checkInTurn() : trustPatterns;
  const parsed = parseUserRule({ domain, kind, action: actionOf(type) }, check);
  return parsed.isRule
    ? { domain: parsed.text, type, kind, warning: parsed.warning }
    : fail(failures[parsed.kind], parsed.hint);
}

/** Compiling is synchronous; others get their turn between two of them. */
async function checkInTurn() {
  await new Promise((resolve) => setImmediate(resolve));
  return loadPatternCheck({ seeksNothing: true });
}

/** All of one request are checked before it is answered. */
export function tooMuchRegex(places: readonly DomainKey[]): Failure<'invalidRegex'> | undefined {
  const size = places.reduce((sum, { kind, domain }) => sum + (kind === 'regex' ? domain.length : 0), 0);
  const most = limits.regexTextPerRequest;
  return size <= most
    ? undefined
    : fail('invalidRegex', `One request may have ${most} characters of expressions.`);
}

/** The places as they may be stored; the first problem when one may not. */
export async function placesOf(
  { type, kind }: Pick<DomainKey, 'type' | 'kind'>,
  texts: readonly string[],
): Promise<readonly CheckedPlace[] | Failure<PlaceFailure>> {
  const places: CheckedPlace[] = [];
  for (const domain of texts) {
    const place = await placeOf({ domain, type, kind });
    if ('failure' in place) return place;
    places.push(place);
  }
  return places;
}

/**
 * Where a rule may stand that is asked for by this text. First as an earlier version stored it, extensions as
 * they were typed, then in the one form of today; a text that cannot be a rule is looked for as it is.
 */
export function storedKeys({ domain, type, kind }: DomainKey): readonly DomainKey[] {
  const parsed = parseUserRule({ domain, kind, action: actionOf(type) }, trustPatterns);
  if (!parsed.isRule) return [{ domain, type, kind }];
  const subject = parsed.text.replace(/;.*/su, '');
  const typed = domain.includes(';') ? subject + domain.slice(domain.indexOf(';')) : parsed.text;
  return [...new Set([typed, parsed.text])].map((text) => ({ domain: text, type, kind }));
}

/** The entry at the first of these places that has one. */
export function storedAt(
  domains: Pick<Collection<StoredDomain>, 'get'>,
  places: readonly DomainKey[],
): StoredDomain | undefined {
  for (const place of places) {
    const found = domains.get(domainKey(place));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The same, as the database has it. */
export async function findStored(
  scope: Pick<ChangeScope, 'db'>,
  places: readonly DomainKey[],
): Promise<StoredDomain | undefined> {
  for (const place of places) {
    const found = await findDomain(scope, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function actionOf(type: DomainKey['type']) {
  return type === 'allow' ? 'allow' : 'block';
}
