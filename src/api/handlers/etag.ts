// Entity tags (RFC 9110 section 8.8.3): the state of an item as a short text, and whether a request that was
// made with an older state in mind may go on.

import { hash } from 'node:crypto';

export function etagOf(item: object): string {
  return `"${hash('sha256', JSON.stringify(item), 'base64url').slice(0, 22)}"`;
}

/** Without If-Match everything may go on; `*` asks only that there is an item. */
export function mayChange(ifMatch: string | undefined, item: object | undefined): boolean {
  if (ifMatch === undefined) return true;
  if (item === undefined) return false;
  if (ifMatch.trim() === '*') return true;
  const tag = etagOf(item);
  return ifMatch.split(',').some((text) => text.trim() === tag);
}
