// Decides whether a self-issued certificate must be issued again. A pure function: the stored certificate
// (`StoredCertificate`), the time and the wanted names are arguments. Names that are no longer wanted are no
// reason, because otherwise each interface that goes down would cost a certificate. A clock that was wrong
// when the certificate was issued results in `not-yet-valid` or `ends-soon`, and a new certificate repairs
// that too.

import { dayMs } from './material.ts';

export type StoredCertificate =
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable' }
  | {
      readonly state: 'present';
      readonly keyMatches: boolean;
      /** Issued by the current authority on disk; for the authority itself: signed by its own key. */
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

/** An earlier clock is not set yet (a small board starts in 1970) and is ignored. */
const earliestMs = Date.UTC(2026, 0, 1);

type Present = Extract<StoredCertificate, { state: 'present' }>;

/** Why the server's certificate must be issued again; undefined while it is good. */
export function reasonToRenew(
  stored: StoredCertificate,
  wanted: readonly string[],
  nowMs: number,
): RenewalReason | undefined {
  if (stored.state !== 'present') return stored.state;
  const thirdMs = (stored.notAfterMs - stored.notBeforeMs) / 3;
  return brokenReason(stored) ?? timeReason(stored, thirdMs, nowMs) ?? namesReason(stored, wanted);
}

/** The same for the authority's certificate. Its key is kept, so imported certificates stay valid. */
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
