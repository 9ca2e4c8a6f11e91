// Entity tags (RFC 9110 section 8.8.3): a short text that identifies the state of an item, and the check of
// If-Match, which refuses a change that is based on an older state.

import { hash } from 'node:crypto';

export function etagOf(item: object): string {
  return `"${hash('sha256', JSON.stringify(item), 'base64url').slice(0, 22)}"`;
}

/** Without If-Match every change is allowed; `*` requires only that the item exists. */
export function mayChange(ifMatch: string | undefined, item: object | undefined): boolean {
  if (ifMatch === undefined) return true;
  if (item === undefined) return false;
  if (ifMatch.trim() === '*') return true;
  const tag = etagOf(item);
  return ifMatch.split(',').some((text) => text.trim() === tag);
}
