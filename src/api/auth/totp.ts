// One-time codes as second factor (RFC 6238: SHA-1, 6 digits, 30 s, one step of drift). A code is never
// accepted twice: the step of the last accepted code is stored, and only later steps are accepted. A stored
// step further ahead than the drift allows was accepted while the system clock was ahead. It is ignored,
// because it would refuse every code until that time.

import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';

const periodSeconds = 30;
const driftSteps = 1;
const secretBytes = 20;

export interface TotpSecret {
  readonly secret: string;
  readonly uri: string;
  /** The URI as a QR code for phones. */
  readonly qr: string;
}

export type TotpCheck =
  | { readonly ok: true; readonly step: number }
  | { readonly ok: false; readonly reason: 'wrong' | 'reused' };

export function newTotpSecret(account: string): TotpSecret {
  const secret = new Secret({ size: secretBytes });
  const uri = generator(secret, account).toString();
  return { secret: secret.base32, uri, qr: renderSVG(uri) };
}

/** The code may be a text or a number; a number has lost its leading zeros. */
export function checkTotp(
  secret: string,
  code: string | number,
  lastStep: number,
  wallMs: number,
): TotpCheck {
  const token = String(code).trim().padStart(6, '0');
  // The library throws on a token of six characters that has more than six bytes.
  if (!/^\d{6}$/.test(token)) return { ok: false, reason: 'wrong' };
  const totp = generator(Secret.fromBase32(secret), '');
  const delta = totp.validate({ token, timestamp: wallMs, window: driftSteps });
  if (delta === null) return { ok: false, reason: 'wrong' };
  const nowStep = Math.floor(wallMs / 1000 / periodSeconds);
  const step = nowStep + delta;
  const isUsed = step <= lastStep && lastStep <= nowStep + driftSteps;
  return isUsed ? { ok: false, reason: 'reused' } : { ok: true, step };
}

function generator(secret: Secret, account: string): TOTP {
  return new TOTP({
    issuer: 'Sluice',
    label: account,
    algorithm: 'SHA1',
    digits: 6,
    period: periodSeconds,
    secret,
  });
}
