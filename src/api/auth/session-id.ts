// Session ids and what follows from them. An id is 256 random bits and is never stored: sessions are kept by
// its SHA-256, so that a stolen database opens nothing. The CSRF token is derived from the id, which is why
// a page that has only the cookie can be told its token again although nothing about it is stored.

import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

const idBytes = 32;
/** Longer texts are no ids of ours and are not worth a hash. */
const idLengthMax = 128;

export const newSessionId = (): string => randomBytes(idBytes).toString('base64url');

export const sessionKey = (sid: string): string | undefined =>
  sid.length === 0 || sid.length > idLengthMax ? undefined : hash('sha256', sid, 'base64url');

export const csrfOf = (sid: string): string => createHmac('sha256', sid).update('csrf').digest('base64url');

export const isCsrfOf = (sid: string, token: string | undefined): boolean => {
  if (token === undefined) return false;
  const [expected, given] = [Buffer.from(csrfOf(sid)), Buffer.from(token)];
  return expected.length === given.length && timingSafeEqual(expected, given);
};
