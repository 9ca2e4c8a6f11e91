// Decides whether a certificate of our own must be made anew. Pure: what lies on disk is described first
// (`StoredCertificate`), the time and the wanted names are arguments. Names that are no longer wanted are
// no reason: an interface that goes down would otherwise cost a certificate each time. A clock that was
// wrong when the certificate was made shows as `not-yet-valid` or `ends-soon`, and is cured the same way.

import { dayMs } from './material.ts';

export type StoredCertificate =
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable' }
  | {
      readonly state: 'present';
      readonly keyMatches: boolean;
      /** Issued by the authority that lies on disk now; for the authority itself: signed by its own key. */
      readonly signedByAuthority: boolean;
      readonly notBeforeMs: number;
      readonly notAfterMs: number;
      readonly names: readonly string[];
    };

export type RenewalReason =
  | 'missing'
  | 'unreadable'
  | 'key-mismatch'
  | 'other-authority'
  | 'not-yet-valid'
  | 'ends-soon'
  | 'names-missing';

/** A clock before this has not been set yet (a small board starts in 1970): it is no reason for anything. */
const earliestMs = Date.UTC(2026, 0, 1);

type Present = Extract<StoredCertificate, { state: 'present' }>;

/** Why the server's certificate must be made anew; undefined while it is good. */
export function reasonToRenew(
  stored: StoredCertificate,
  wanted: readonly string[],
  nowMs: number,
): RenewalReason | undefined {
  if (stored.state !== 'present') return stored.state;
  const thirdMs = (stored.notAfterMs - stored.notBeforeMs) / 3;
  return brokenReason(stored) ?? timeReason(stored, thirdMs, nowMs) ?? namesReason(stored, wanted);
}

/** The same for the authority's certificate. Its key is kept, so what users imported stays good. */
export function reasonToRenewAuthority(stored: StoredCertificate, nowMs: number): RenewalReason | undefined {
  if (stored.state !== 'present') return stored.state;
  return brokenReason(stored) ?? timeReason(stored, 365 * dayMs, nowMs);
}

function brokenReason(stored: Present): RenewalReason | undefined {
  if (!stored.keyMatches) return 'key-mismatch';
  return stored.signedByAuthority ? undefined : 'other-authority';
}

function timeReason(stored: Present, marginMs: number, nowMs: number): RenewalReason | undefined {
  if (nowMs < earliestMs) return undefined;
  if (nowMs < stored.notBeforeMs) return 'not-yet-valid';
  return nowMs >= stored.notAfterMs - marginMs ? 'ends-soon' : undefined;
}

function namesReason(stored: Present, wanted: readonly string[]): RenewalReason | undefined {
  const present = new Set(stored.names);
  return wanted.every((name) => present.has(name)) ? undefined : 'names-missing';
}
