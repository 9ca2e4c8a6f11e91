// Where a rule of the user stands: its text in the form that is stored, its type and its kind. Whether the
// text is a rule, and what that form is, is said by the reader that the dns workers use too.

import { fail, type Failure } from '#contract';
import {
  loadPatternCheck,
  mostPatterns,
  mostPatternSize,
  parseUserRule,
  patternSize,
  trustPatterns,
  type UserRuleProblem,
} from '#policy';
import type { Collection } from '../storage/collection.ts';
import { domainKey, type DomainPlace, type StoredDomain } from '../storage/domains.ts';

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

type Shelf = Pick<DomainPlace, 'type' | 'kind'>;

/**
 * The places as they may be stored, beside what is there; the first problem when one may not. `from`: where
 * they stood before.
 */
export const placesOf = async (
  stored: Collection<StoredDomain>,
  { type, kind }: Shelf,
  texts: readonly string[],
  from: Shelf = { type, kind },
): Promise<readonly CheckedPlace[] | Failure<PlaceFailure | 'collectionFull'>> => {
  const places: CheckedPlace[] = [];
  for (const domain of texts) {
    const place = await placeOf({ domain, type, kind });
    if ('failure' in place) return place;
    places.push(place);
  }
  if (kind !== 'regex') return places;
  const replaced = new Set([{ type, kind }, from].flatMap((shelf) => keysOn(shelf, texts)));
  const others = stored.filter((one) => one.kind === 'regex' && !replaced.has(domainKey(one)));
  return regexesFull([...others, ...places]) ?? places;
};

const keysOn = (shelf: Shelf, texts: readonly string[]): readonly string[] =>
  texts.map((domain) => domainKey({ ...shelf, domain }));

/** What is more than that would not be in force: every dns worker holds all expressions at once. */
const regexesFull = (regexes: readonly DomainPlace[]): Failure<'collectionFull'> | undefined => {
  if (regexes.length > mostPatterns)
    return fail('collectionFull', `There may be ${mostPatterns} regular expressions.`);
  const size = regexes.reduce((all, { domain }) => all + patternSize(domain.replace(/;.*/s, '')), 0);
  const most = `All expressions together may have ${mostPatternSize} signs, repetitions written out`;
  return size > mostPatternSize ? fail('collectionFull', `${most}; these have ${size}.`) : undefined;
};

/** The place as it is stored; a text that cannot be a rule is looked for as it is. */
export const storedPlace = ({ domain, type, kind }: DomainPlace): DomainPlace => {
  const parsed = parseUserRule({ domain, kind, action: actionOf(type) }, trustPatterns);
  return { domain: parsed.isRule ? parsed.text : domain, type, kind };
};

const actionOf = (type: DomainPlace['type']) => (type === 'allow' ? 'allow' : 'block');
