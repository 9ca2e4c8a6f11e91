// One-time codes as second factor (RFC 6238: SHA-1, 6 digits, 30 s, one step of drift). A code is never
// accepted twice: the step of the last accepted one is kept, and only later steps count. A last step that
// lies further ahead than a code may be is from a time when the clock ran ahead: it counts for nothing,
// because it would refuse every code until that time has come.

import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';

const periodSeconds = 30;
const driftSteps = 1;
const secretBytes = 20;

export interface TotpSecret {
  readonly secret: string;
  readonly uri: string;
  /** The URI as a picture for phones. */
  readonly qr: string;
}

export type TotpCheck =
  | { readonly ok: true; readonly step: number }
  | { readonly ok: false; readonly reason: 'wrong' | 'reused' };

export const newTotpSecret = (account: string): TotpSecret => {
  const secret = new Secret({ size: secretBytes });
  const uri = generator(secret, account).toString();
  return { secret: secret.base32, uri, qr: renderSVG(uri) };
};

/** Codes come as text or as number; a number has lost its leading zeros. */
export const checkTotp = (
  secret: string,
  code: string | number,
  lastStep: number,
  wallMs: number,
): TotpCheck => {
  const token = String(code).trim().padStart(6, '0');
  // The library compares bytes of equal length, and throws when a token of six characters has more than six.
  if (!/^\d{6}$/.test(token)) return { ok: false, reason: 'wrong' };
  const totp = generator(Secret.fromBase32(secret), '');
  const delta = totp.validate({ token, timestamp: wallMs, window: driftSteps });
  if (delta === null) return { ok: false, reason: 'wrong' };
  const nowStep = Math.floor(wallMs / 1000 / periodSeconds);
  const step = nowStep + delta;
  const isUsed = step <= lastStep && lastStep <= nowStep + driftSteps;
  return isUsed ? { ok: false, reason: 'reused' } : { ok: true, step };
};

const generator = (secret: Secret, account: string): TOTP =>
  new TOTP({ issuer: 'Sluice', label: account, algorithm: 'SHA1', digits: 6, period: periodSeconds, secret });
