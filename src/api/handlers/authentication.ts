// Handlers of login and logout. Existing clients compare the texts in `message`.

import { fail, type Failure } from '#contract';
import { clearedCookie, sessionCookie } from '../auth/cookie.ts';
import { login, type LoginParts, type LoginOutcome } from '../auth/login.ts';
import { csrfOf } from '../auth/session-id.ts';
import type { Session } from '../auth/sessions.ts';
import type { Handlers } from '../http/handler.ts';

export interface AuthenticationParts extends LoginParts {
  readonly validitySeconds: () => number;
  /** Returns whether this was written to disk. */
  readonly endSessions: (sessions: readonly Session[]) => Promise<boolean>;
}

type Names = 'getAuth' | 'login' | 'logout';

export function createAuthenticationHandlers(parts: AuthenticationParts): Pick<Handlers, Names> {
  const { sessions, password, twoFactor } = parts;
  const totp = (): boolean => twoFactor.isOn();
  const withoutPassword = () => ({
    session: { valid: true, totp: totp(), sid: null, validity: -1, message: 'no password set' },
  });
  const loggedOut = (message: string) => ({
    session: { valid: false, totp: totp(), sid: null, validity: -1, message },
  });
  const loggedIn = (sid: string, session: Session, message: string) => ({
    session: {
      valid: true,
      totp: totp(),
      sid,
      csrf: csrfOf(sid),
      validity: sessions.validity(session),
      message,
    },
  });
  const refused = (message: string): Failure<'unauthorized'> =>
    fail('unauthorized', null, { beside: loggedOut(message) });
  return {
    getAuth: ({ caller, from }) => {
      if (password.isNone()) return { status: 200, body: withoutPassword() };
      if (caller?.kind === 'local')
        return { status: 200, body: { session: { ...withoutPassword().session, message: 'local' } } };
      if (caller?.kind !== 'session') return refused(from().hasSid ? 'session unknown' : 'no SID provided');
      return { status: 200, body: loggedIn(caller.sid, caller.session, 'correct password') };
    },
    login: async ({ body, from: origin }) => {
      const from = origin();
      const outcome = await login(parts, { password: body.password, totp: body.totp ?? undefined }, from);
      if (outcome.outcome === 'no password set') return { status: 200, body: withoutPassword() };
      if (outcome.outcome !== 'logged in') return loginFailure(outcome.outcome, refused, loggedOut);
      const { sid, session } = outcome;
      const message = session.app === null ? 'password correct' : 'app-password correct';
      const headers = { 'set-cookie': sessionCookie(sid, parts.validitySeconds(), from.isTls) };
      return { status: 200, body: loggedIn(sid, session, message), headers };
    },
    logout: async ({ caller }) => {
      if (caller?.kind === 'session' && !(await parts.endSessions([caller.session]))) return notWritten();
      return { status: 410, headers: { 'set-cookie': clearedCookie } };
    },
  };
}

type LoginFailed = Exclude<LoginOutcome['outcome'], 'logged in' | 'no password set'>;

function loginFailure(
  outcome: LoginFailed,
  refused: (message: string) => Failure<'unauthorized'>,
  loggedOut: (message: string) => NonNullable<Failure['beside']>,
) {
  switch (outcome) {
    case 'wrong password':
      return refused('password incorrect');
    case 'no token':
      return fail('noTotp');
    case 'wrong token':
      return fail('invalidTotp', null, { beside: loggedOut('Invalid 2FA token') });
    case 'reused token':
      return fail('reusedTotp', 'wait for new token', { beside: loggedOut('Reused 2FA token') });
    case 'rate limited':
      return fail('loginRate');
    case 'no free session':
      return fail('seatsExceeded', 'increase auth.maxSessions');
  }
}

function notWritten(): Failure<'databaseAway'> {
  return fail(
    'databaseAway',
    'The session has ended, but this could not be stored: it is valid again after a restart.',
  );
}
