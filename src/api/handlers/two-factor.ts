// Handlers of two-factor authentication: a secret is shown once, becomes active with its first valid token,
// and is removed only with another token. Both end all other sessions that were opened with the password.

import { fail, type Failure } from '#contract';
import type { TotpCheck } from '../auth/totp.ts';
import type { TwoFactor } from '../auth/two-factor.ts';
import type { Caller } from '../auth/caller.ts';
import type { Handlers } from '../http/handler.ts';

type Names = 'getTotp' | 'startTotp' | 'confirmTotp' | 'removeTotp';

export interface TwoFactorParts {
  readonly twoFactor: TwoFactor;
  /** Ends the sessions that were opened with the password, except that of the caller. */
  readonly endOthers: (caller: Caller | undefined) => Promise<boolean>;
  /** Guessing tokens is limited like guessing passwords. */
  readonly mayTry: (address: string) => boolean;
  readonly failed: (address: string) => void;
}

export function createTwoFactorHandlers({
  twoFactor,
  endOthers,
  mayTry,
  failed,
}: TwoFactorParts): Pick<Handlers, Names> {
  return {
    getTotp: () => ({ status: 200, body: { totp: { enabled: twoFactor.isOn() } } }),
    startTotp: async () => {
      if (twoFactor.isOn()) return isOnAlready();
      return { status: 201, body: { totp: { ...(await twoFactor.start()) } } };
    },
    confirmTotp: async ({ body, caller, from }) => {
      if (twoFactor.isOn()) return isOnAlready();
      if (!mayTry(from().address)) return fail('loginRate');
      const checked = await twoFactor.confirm(body.totp);
      if (checked === undefined) return fail('noTotpSetup', 'POST /api/auth/totp creates one.');
      if (!checked.ok) return tokenFailure(checked, () => failed(from().address));
      if (!checked.isWritten) return notWritten();
      await endOthers(caller);
      return { status: 200, body: { totp: { enabled: true } } };
    },
    removeTotp: async ({ body, caller, from }) => {
      if (!twoFactor.isOn()) return fail('notFound', 'Two-factor authentication is off.');
      if (!mayTry(from().address)) return fail('loginRate');
      const checked = await twoFactor.check(body.totp);
      if (!checked.ok) return tokenFailure(checked, () => failed(from().address));
      if (!(await twoFactor.remove())) return notWritten();
      await endOthers(caller);
      return { status: 204 };
    },
  };
}

function isOnAlready(): Failure<'totpIsOn'> {
  return fail('totpIsOn', 'DELETE /api/auth/totp with a current token first.');
}

function tokenFailure(
  { reason }: TotpCheck & { ok: false },
  count: () => void,
): Failure<'invalidTotp' | 'reusedTotp'> {
  count();
  return reason === 'reused' ? fail('reusedTotp', 'wait for new token') : fail('invalidTotp');
}

function notWritten(): Failure<'databaseAway'> {
  return fail('databaseAway', 'The change lasts until the service ends, but could not be stored.');
}
