// Two-factor authentication: the active secret, a new secret that is not confirmed yet, and the step of the
// last accepted token, which is stored so that the token cannot be used again after a restart.

import type { Secrets } from '#store/database';
import type { TotpCheck, TotpSecret } from './totp.ts';

export interface TwoFactor {
  readonly isOn: () => boolean;
  /** Creates a secret, which its first token confirms. */
  readonly start: () => Promise<TotpSecret>;
  /** Undefined when there is no secret to confirm. */
  readonly confirm: (token: string | number) => Promise<Confirmed | undefined>;
  readonly check: (token: string | number) => Promise<TotpCheck>;
  /** Returns whether the removal was written to disk. */
  readonly remove: () => Promise<boolean>;
}

type Confirmed = (TotpCheck & { ok: true } & { isWritten: boolean }) | (TotpCheck & { ok: false });

const secretName = 'totp secret';
const stepName = 'totp last step';
const maxConfirmMs = 600_000;

export function createTwoFactor(secrets: Secrets, account: string, wallMs: () => number): TwoFactor {
  let unconfirmed: { readonly secret: string; readonly untilMs: number } | undefined;
  const lastStep = (): number => Number(secrets.get(stepName) ?? 0);
  const accept = async (secret: string, token: string | number, afterStep: number): Promise<TotpCheck> => {
    // Loaded with the first token: most installations never use one.
    const { checkTotp } = await import('./totp.ts');
    const checked = checkTotp(secret, token, afterStep, wallMs());
    if (checked.ok) await secrets.set(stepName, String(checked.step));
    return checked;
  };
  return {
    isOn: () => secrets.get(secretName) !== undefined,
    start: async () => {
      const { newTotpSecret } = await import('./totp.ts');
      const made = newTotpSecret(account);
      unconfirmed = { secret: made.secret, untilMs: wallMs() + maxConfirmMs };
      return made;
    },
    confirm: async (token) => {
      if (unconfirmed === undefined || wallMs() > unconfirmed.untilMs) return undefined;
      const { secret } = unconfirmed;
      // A new secret has no used tokens yet.
      const checked = await accept(secret, token, 0);
      if (!checked.ok) return checked;
      unconfirmed = undefined;
      return { ...checked, isWritten: await secrets.set(secretName, secret) };
    },
    check: (token) => accept(secrets.get(secretName) ?? '', token, lastStep()),
    remove: () => secrets.set(secretName, undefined),
  };
}
