// The four lists that a domain may stand in, by their names in a path: `/allow/exact`, and shorter paths that
// name one half and mean both of the other.

import type { DomainKey } from '#store/database/entities';

const types: readonly DomainKey['type'][] = ['allow', 'deny'];
const kinds: readonly DomainKey['kind'][] = ['exact', 'regex'];

export const isType = (text: string): boolean => types.some((type) => type === text);
export const isKind = (text: string): boolean => kinds.some((kind) => kind === text);
export const isListName = (text: string): boolean => isType(text) || isKind(text);

export const inList =
  (name: string) =>
  ({ type, kind }: Pick<DomainKey, 'type' | 'kind'>): boolean =>
    type === name || kind === name;

/** Wherever this text may stand. */
export const everyPlace = (domain: string): readonly DomainKey[] =>
  types.flatMap((type) => kinds.map((kind) => ({ type, kind, domain })));
