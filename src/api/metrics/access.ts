// Who may read the metrics: whoever has proved who they are, whoever has the token, and whoever comes from an
// address that the settings allow. An address counts only when it is that of the client: behind a proxy that
// is not trusted everybody has the proxy's address, so that such requests need a credential. That is why
// loopback can be allowed by default: nginx on the same machine does not open the metrics to everybody.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Settings } from '#contract';
import { addressSet, contains } from '../http/address-set.ts';
import { lacksCsrfToken, type Caller } from '../auth/caller.ts';
import type { RequestFrom } from '../http/request-from.ts';

const forwardingHeaders: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]);

export const mayReadMetrics = (
  { allowed, token }: Settings['metrics'],
  caller: Caller | undefined,
  from: RequestFrom,
): boolean => {
  if (caller !== undefined && !lacksCsrfToken(caller)) return true;
  return hasToken(token, from) || isAllowed(allowed, from);
};

/** Compared by digests, in a time that says nothing about the token. */
const hasToken = (token: string, { headers }: RequestFrom): boolean => {
  const sent = headers.find(({ name }) => name === 'authorization')?.value;
  const given = /^bearer +(\S+) *$/i.exec(sent ?? '')?.[1];
  return token !== '' && given !== undefined && timingSafeEqual(digest(given), digest(token));
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const isAllowed = (ranges: readonly string[], from: RequestFrom): boolean => {
  const isForwarded = from.headers.some(({ name }) => forwardingHeaders.has(name));
  if (isForwarded && from.address === from.peer) return false;
  const allowed = addressSet(ranges);
  return allowed !== undefined && contains(allowed, from.address);
};
