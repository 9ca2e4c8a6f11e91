// Entity tags (RFC 9110 section 8.8.3). The first part of a tag identifies the state that users set, and
// If-Match compares only this part: the download of a list or the start of a schedule is no change by another
// user. The second part, where a reply also shows such things, identifies the reply, so that If-None-Match
// never hides them.

import { hash } from 'node:crypto';

/** `shown` is what the reply contains, if it changes without a change of the state. */
export function etagOf(state: object, shown?: object): string {
  return shown === undefined ? `"${digest(state)}"` : `"${digest(state)}.${digest(shown)}"`;
}

/** Of a document: weak, because the same document may be sent compressed. */
export function documentTagOf(bytes: Uint8Array): string {
  return `W/"${shortHash(bytes)}"`;
}

/** Without If-Match every change is allowed; `*` requires only that the item exists. */
export function mayChange(ifMatch: string | undefined, state: object | undefined): boolean {
  if (ifMatch === undefined) return true;
  if (state === undefined) return false;
  if (ifMatch.trim() === '*') return true;
  const wanted = digest(state);
  return ifMatch.split(',').some((text) => /^"([^".]*)(?:\.[^"]*)?"$/.exec(text.trim())?.[1] === wanted);
}

function digest(value: object): string {
  return shortHash(JSON.stringify(value));
}

function shortHash(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}
