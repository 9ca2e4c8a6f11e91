// Handlers of login and logout. Existing clients compare the texts in `message`.

import { fail, type Failure } from '#contract';
import { clearedCookies, type CookieScope, sessionCookie } from '../auth/cookie.ts';
import { login, type LoginParts, type LoginOutcome } from '../auth/login.ts';
import { csrfOf } from '../auth/session-id.ts';
import type { Session } from '../auth/sessions.ts';
import type { Handlers } from '../http/handler.ts';

export interface AuthenticationParts extends LoginParts {
  readonly validitySeconds: () => number;
  readonly basePath: () => string;
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
    valid: true,
    totp: totp(),
    sid,
    csrf: csrfOf(sid),
    validity: sessions.validity(session),
    message,
  });
  const scopeOf = (isTls: boolean): CookieScope => ({ basePath: parts.basePath(), isTls });
  const refused = (message: string): Failure<'unauthorized'> =>
    fail('unauthorized', null, { beside: loggedOut(message) });
  return {
    getAuth: ({ caller, from }) => {
      if (password.isNone()) return { status: 200, body: withoutPassword() };
      if (caller?.kind === 'local')
        return { status: 200, body: { session: { ...withoutPassword().session, message: 'local' } } };
      if (caller?.kind !== 'session') return refused(from().hasSid ? 'session unknown' : 'no SID provided');
      // This request extends the session too, and the reply says by how much.
      sessions.touch(caller.session);
      const shown = loggedIn(caller.sid, caller.session, 'correct password');
      // The cookie is HttpOnly: a script of a page does not learn the session id here either.
      return { status: 200, body: { session: caller.way === 'plain' ? shown : { ...shown, sid: null } } };
    },
    login: async ({ body, from: origin }) => {
      const from = origin();
      const outcome = await login(parts, { password: body.password, totp: body.totp ?? undefined }, from);
      if (outcome.outcome === 'no password set') return { status: 200, body: withoutPassword() };
      if (outcome.outcome !== 'logged in') return loginFailure(outcome.outcome, refused, loggedOut);
      const { sid, session } = outcome;
      const message = session.app === null ? 'password correct' : 'app-password correct';
      const cookies = [sessionCookie(sid, parts.validitySeconds(), scopeOf(from.isTls))];
      return { status: 200, body: { session: loggedIn(sid, session, message) }, cookies };
    },
    logout: async ({ caller, from }) => {
      if (caller?.kind === 'session' && !(await parts.endSessions([caller.session]))) return notWritten();
      return { status: 410, cookies: clearedCookies(scopeOf(from().isTls)) };
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
