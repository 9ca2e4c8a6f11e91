// The four lists that a domain may stand in, by their names in a path: `/allow/exact`, and shorter paths that
// name one half and mean both of the other.

import type { DomainKey } from '#store/database';

const types: readonly DomainKey['type'][] = ['allow', 'deny'];
const kinds: readonly DomainKey['kind'][] = ['exact', 'regex'];

export function isType(text: string): boolean {
  return types.some((type) => type === text);
}
export function isKind(text: string): boolean {
  return kinds.some((kind) => kind === text);
}
export function isListName(text: string): boolean {
  return isType(text) || isKind(text);
}

export function inList(name: string) {
  return ({ type, kind }: Pick<DomainKey, 'type' | 'kind'>): boolean => type === name || kind === name;
}

/** Wherever this text may stand. */
export function everyPlace(domain: string): readonly DomainKey[] {
  return types.flatMap((type) => kinds.map((kind) => ({ type, kind, domain })));
}
