// The four lists that may contain a domain, by their names in a path: `/allow/exact`, and shorter paths with
// only the type or only the kind, which select two lists.

import type { DomainKey } from '#store/database/entities';

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

/** The keys of this text in all four lists. */
export function everyKey(domain: string): readonly DomainKey[] {
  return types.flatMap((type) => kinds.map((kind) => ({ type, kind, domain })));
}
