// Which entry a person means by a domain: there may be up to four of one text, so all places that the options
// leave open are asked for it. The service knows which spellings are the same name; nothing here compares.

import type { ControlClient } from '../control.ts';
import { refusalText, type Refusal } from '../failure.ts';
import { quoted } from '../printable.ts';
import { article, named } from '../subject.ts';
import { domainSubject, kindOf, typeOf, type Place, type PlaceOptions } from './place.ts';

type Found = { readonly ok: true; readonly place: Place } | { readonly ok: false; readonly problem: string };

export const findPlace = async (
  call: ControlClient,
  domain: string,
  options: PlaceOptions,
): Promise<Found> => {
  const found: Place[] = [];
  for (const place of openPlaces(options)) {
    const reply = await call('getDomain', { params: { ...place, domain } });
    if (reply.ok) found.push(place);
    else if (reply.status !== 404) return { ok: false, problem: unreadable(domain, reply) };
  }
  const [place, ...others] = found;
  if (place === undefined) return { ok: false, problem: absent(domain, options) };
  return others.length === 0 ? { ok: true, place } : { ok: false, problem: ambiguous(domain, found) };
};

const openPlaces = (options: PlaceOptions): Place[] => {
  const [type, kind] = [typeOf(options), kindOf(options)];
  const types = type === undefined ? (['deny', 'allow'] as const) : [type];
  const kinds = kind === undefined ? (['exact', 'regex'] as const) : [kind];
  return types.flatMap((oneType) => kinds.map((oneKind) => ({ type: oneType, kind: oneKind })));
};

const unreadable = (domain: string, refusal: Refusal): string =>
  refusalText({ thing: 'domain', name: domain }, 'looked up', refusal);

const absent = (domain: string, options: PlaceOptions): string => {
  const [place, ...others] = openPlaces(options);
  if (place !== undefined && others.length === 0)
    return `There is no ${named(domainSubject(place, domain))}.`;
  return `There is no entry ${quoted(domain)}; \`sluice domains\` lists what there is.`;
};

const ambiguous = (domain: string, places: readonly Place[]): string => {
  const subjects = places.map((place) => article(domainSubject(place, domain))).join(' and ');
  return `There is ${subjects}. Say which one: --deny or --allow, --exact or --regex.`;
};
