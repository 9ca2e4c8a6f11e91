// Session ids and the values derived from them. An id is 256 random bits and is never stored: sessions are
// stored under its SHA-256, so that a stolen database contains no usable id. The CSRF token is derived from
// the id: the API can return it again to a page that has only the cookie, without storing it.

import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

const idBytes = 32;
/** Longer texts cannot be valid ids and are not hashed. */
const maxIdLength = 128;

export function newSessionId(): string {
  return randomBytes(idBytes).toString('base64url');
}

export function sessionKey(sid: string): string | undefined {
  return sid.length === 0 || sid.length > maxIdLength ? undefined : hash('sha256', sid, 'base64url');
}

export function csrfOf(sid: string): string {
  return createHmac('sha256', sid).update('csrf').digest('base64url');
}

export function isCsrfOf(sid: string, token: string | undefined): boolean {
  if (token === undefined) return false;
  const [expected, given] = [Buffer.from(csrfOf(sid)), Buffer.from(token)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
