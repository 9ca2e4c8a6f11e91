// The four lists that a domain may stand in, by their names in a path: `/allow/exact`, and shorter paths that
// name one half and mean both of the other.

import type { DomainPlace } from '../storage/domains.ts';

const types: readonly DomainPlace['type'][] = ['allow', 'deny'];
const kinds: readonly DomainPlace['kind'][] = ['exact', 'regex'];

export const isType = (text: string): boolean => types.some((type) => type === text);
export const isKind = (text: string): boolean => kinds.some((kind) => kind === text);
export const isListName = (text: string): boolean => isType(text) || isKind(text);

export const inList =
  (name: string) =>
  ({ type, kind }: Pick<DomainPlace, 'type' | 'kind'>): boolean =>
    type === name || kind === name;

/** Wherever this text may stand. */
export const everyPlace = (domain: string): readonly DomainPlace[] =>
  types.flatMap((type) => kinds.map((kind) => ({ type, kind, domain })));
