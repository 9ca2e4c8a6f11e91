// Handlers of two-factor authentication: a secret is shown once, takes hold with the first right token, and
// goes only with another one. Switching ends all other sessions that were made with the password.

import { fail, type Failure } from '#contract';
import type { TotpCheck } from '../auth/totp.ts';
import type { TwoFactor } from '../auth/two-factor.ts';
import type { Caller } from '../http/caller.ts';
import type { Handlers } from '../http/handler.ts';

type Names = 'getTotp' | 'startTotp' | 'confirmTotp' | 'removeTotp';

export interface TwoFactorParts {
  readonly twoFactor: TwoFactor;
  /** Ends the sessions of the password, except the caller's own. */
  readonly endOthers: (caller: Caller | undefined) => Promise<void>;
}

export const createTwoFactorHandlers = ({ twoFactor, endOthers }: TwoFactorParts): Pick<Handlers, Names> => ({
  getTotp: () => ({ status: 200, body: { totp: { enabled: twoFactor.isOn() } } }),
  startTotp: async () => ({ status: 201, body: { totp: { ...(await twoFactor.start()) } } }),
  confirmTotp: async ({ body, caller }) => {
    const checked = await twoFactor.confirm(body.totp);
    if (checked === undefined) return fail('noTotpSetup', 'POST /api/auth/totp gives one.');
    if (!checked.ok) return tokenFailure(checked);
    await endOthers(caller);
    return { status: 200, body: { totp: { enabled: true } } };
  },
  removeTotp: async ({ body, caller }) => {
    if (!twoFactor.isOn()) return fail('notFound', 'Two-factor authentication is off.');
    const checked = await twoFactor.check(body.totp);
    if (!checked.ok) return tokenFailure(checked);
    await twoFactor.remove();
    await endOthers(caller);
    return { status: 204 };
  },
});

const tokenFailure = ({ reason }: TotpCheck & { ok: false }): Failure<'invalidTotp' | 'reusedTotp'> =>
  reason === 'reused' ? fail('reusedTotp', 'wait for new token') : fail('invalidTotp');
