// Two-factor authentication: the secret that is in force, the one that waits to be confirmed, and the step of
// the last accepted token, which is kept so that a restart does not let it be used again.

import type { Secrets } from '#store/database';
import type { TotpCheck, TotpSecret } from './totp.ts';

export interface TwoFactor {
  readonly isOn: () => boolean;
  /** A new secret that waits for its first token. */
  readonly start: () => Promise<TotpSecret>;
  /** Nothing waits: undefined. */
  readonly confirm: (token: string | number) => Promise<Confirmed | undefined>;
  readonly check: (token: string | number) => Promise<TotpCheck>;
  /** Whether it is off on the disk, too. */
  readonly remove: () => Promise<boolean>;
}

type Confirmed = (TotpCheck & { ok: true } & { isWritten: boolean }) | (TotpCheck & { ok: false });

const secretName = 'totp secret';
const stepName = 'totp last step';
const waitMaxMs = 600_000;

export const createTwoFactor = (secrets: Secrets, account: string, wallMs: () => number): TwoFactor => {
  let waiting: { readonly secret: string; readonly untilMs: number } | undefined;
  const lastStep = (): number => Number(secrets.get(stepName) ?? 0);
  const accept = async (secret: string, token: string | number, afterStep: number): Promise<TotpCheck> => {
    // Loaded with the first token: most installations never see one.
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
      waiting = { secret: made.secret, untilMs: wallMs() + waitMaxMs };
      return made;
    },
    confirm: async (token) => {
      if (waiting === undefined || wallMs() > waiting.untilMs) return undefined;
      const { secret } = waiting;
      // A new secret has no used tokens yet.
      const checked = await accept(secret, token, 0);
      if (!checked.ok) return checked;
      waiting = undefined;
      return { ...checked, isWritten: await secrets.set(secretName, secret) };
    },
    check: (token) => accept(secrets.get(secretName) ?? '', token, lastStep()),
    remove: () => secrets.set(secretName, undefined),
  };
};
