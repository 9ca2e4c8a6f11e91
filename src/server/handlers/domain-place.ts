// Where a rule of the user stands: its text in the form that is stored, its type and its kind. Whether the
// text is a rule, and what that form is, is said by the reader that the dns workers use too.

import { fail, type Failure } from '#contract';
import { loadPatternCheck, parseUserRule, trustPatterns, type UserRuleProblem } from '#policy';
import type { DomainPlace } from '../storage/domains.ts';

export interface CheckedPlace extends DomainPlace {
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
const placeOf = async ({
  domain,
  type,
  kind,
}: DomainPlace): Promise<CheckedPlace | Failure<PlaceFailure>> => {
  const check = kind === 'regex' ? await checkInTurn() : trustPatterns;
  const parsed = parseUserRule({ domain, kind, action: actionOf(type) }, check);
  return parsed.isRule
    ? { domain: parsed.text, type, kind, warning: parsed.warning }
    : fail(failures[parsed.kind], parsed.hint);
};

/** Compiling is synchronous; others get their turn between two of them. */
const checkInTurn = async () => {
  await new Promise((resolve) => setImmediate(resolve));
  return loadPatternCheck({ seeksNothing: true });
};

/** The places as they may be stored; the first problem when one may not. */
export const placesOf = async (
  { type, kind }: Pick<DomainPlace, 'type' | 'kind'>,
  texts: readonly string[],
): Promise<readonly CheckedPlace[] | Failure<PlaceFailure>> => {
  const places: CheckedPlace[] = [];
  for (const domain of texts) {
    const place = await placeOf({ domain, type, kind });
    if ('failure' in place) return place;
    places.push(place);
  }
  return places;
};

/** The place as it is stored; a text that cannot be a rule is looked for as it is. */
export const storedPlace = ({ domain, type, kind }: DomainPlace): DomainPlace => {
  const parsed = parseUserRule({ domain, kind, action: actionOf(type) }, trustPatterns);
  return { domain: parsed.isRule ? parsed.text : domain, type, kind };
};

const actionOf = (type: DomainPlace['type']) => (type === 'allow' ? 'allow' : 'block');
