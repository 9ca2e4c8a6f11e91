// Who may read the metrics: authenticated callers, callers with the token, and clients from an address that
// the settings allow. Behind an untrusted proxy every client has the proxy's address, so forwarded requests
// need a credential unless the proxy is trusted. Therefore loopback can be allowed by default: nginx on the
// same machine does not expose the metrics.

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

export function mayReadMetrics(
  { allowed, token }: Settings['metrics'],
  caller: Caller | undefined,
  from: RequestFrom,
): boolean {
  if (caller !== undefined && !lacksCsrfToken(caller)) return true;
  return hasToken(token, from) || isAllowed(allowed, from);
}

/** Compares digests in constant time, so that the duration reveals nothing about the token. */
function hasToken(token: string, { headers }: RequestFrom): boolean {
  const sent = headers.find(({ name }) => name === 'authorization')?.value;
  const given = /^bearer +(\S+) *$/i.exec(sent ?? '')?.[1];
  return token !== '' && given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function isAllowed(ranges: readonly string[], from: RequestFrom): boolean {
  const isForwarded = from.headers.some(({ name }) => forwardingHeaders.has(name));
  if (isForwarded && from.address === from.peer) return false;
  const allowed = addressSet(ranges);
  return allowed !== undefined && contains(allowed, from.address);
}
