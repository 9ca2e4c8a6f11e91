// The front door: who somebody is, and how one gets in. It ties together the password, the second factor,
// application passwords, sessions and the limits on guessing; handlers and the HTTP layer ask nobody else.

import { hash } from 'node:crypto';
import type { Log } from '#platform/log';
import type { AppPassword } from '#store/database/entities';
import { networkOf, type Attempts } from './attempts.ts';
import type { HashingGate } from './hashing-gate.ts';
import type { Password } from './password.ts';
import type { Session, Sessions } from './sessions.ts';
import type { TwoFactor } from './two-factor.ts';

export interface LoginFrom {
  readonly address: string;
  readonly userAgent: string | null;
  readonly isTls: boolean;
}

export interface Credentials {
  readonly password: string;
  readonly totp: string | number | undefined;
}

export type LoginOutcome =
  | { readonly outcome: 'no password set' }
  | { readonly outcome: 'logged in'; readonly sid: string; readonly csrf: string; readonly session: Session }
  | {
      readonly outcome:
        | 'wrong password'
        | 'no token'
        | 'wrong token'
        | 'reused token'
        | 'too fast'
        | 'no seat';
    };

export interface LoginParts {
  readonly password: Password;
  readonly twoFactor: TwoFactor;
  readonly sessions: Sessions;
  readonly attempts: Attempts;
  readonly gate: HashingGate;
  readonly findApp: (key: string) => Promise<AppPassword | undefined>;
  readonly onLogin: (
    session: Session,
    removed: readonly Session[],
    app: AppPassword | undefined,
  ) => Promise<void>;
  /** Steady clock. */
  readonly nowMs: () => number;
  readonly log: Log;
}

export const appPasswordKey = (password: string): string => hash('sha256', password, 'base64url');

export const login = async (
  parts: LoginParts,
  { password, totp }: Credentials,
  from: LoginFrom,
): Promise<LoginOutcome> => {
  if (parts.password.isNone()) return { outcome: 'no password set' };
  const { address } = from;
  // Taken before the hash is computed: the password may be changed meanwhile.
  const credential = parts.password.credential();
  if (!parts.attempts.mayTry(address, parts.nowMs())) return { outcome: 'too fast' };
  // Before the limit of the network: an application password costs no hash and cannot be guessed.
  const app = await parts.findApp(appPasswordKey(password));
  if (app !== undefined) return enter(parts, from, app, credential);
  const gated = await checkInTurn(parts, { password, totp }, address);
  const problem = gated.ok ? gated.value : 'too fast';
  if (problem === undefined && credential !== parts.password.credential()) {
    return refuse(parts, address, 'wrong password');
  }
  if (problem === undefined) return enter(parts, from, undefined, credential);
  return problem === 'too fast' || problem === 'no token'
    ? { outcome: problem }
    : refuse(parts, address, problem);
};

/** Checks the password when its turn has come; a value of `undefined` means that it is right. */
const checkInTurn = async (parts: LoginParts, { password, totp }: Credentials, address: string) => {
  const { attempts, sessions, nowMs } = parts;
  const isKnown = sessions.isKnown(address);
  const mayTry = (): boolean =>
    attempts.mayTry(address, nowMs()) && (isKnown || attempts.mayNetworkTry(address, nowMs()));
  // A network over its limit takes no place in the queue from others.
  if (!mayTry()) return { ok: false } as const;
  return parts.gate(isKnown ? 'known' : 'strangers', networkOf(address), async () => {
    // Others may have failed while this one waited for its turn.
    if (!mayTry()) return 'too fast';
    // Counted before it is known, so that several at once get no more tries than one after the other.
    const takeBack = attempts.failed(address, nowMs());
    const problem = await credentialsProblem(parts, password, totp);
    if (problem === undefined || problem === 'no token') takeBack();
    return problem;
  });
};

const credentialsProblem = async (
  { password, twoFactor }: LoginParts,
  text: string,
  totp: Credentials['totp'],
): Promise<SecondFailure | 'wrong password' | undefined> =>
  (await password.fits(text)) ? secondFactor(twoFactor, totp) : 'wrong password';

type SecondFailure = 'no token' | 'wrong token' | 'reused token';

const secondFactor = async (
  twoFactor: TwoFactor,
  totp: Credentials['totp'],
): Promise<SecondFailure | undefined> => {
  if (!twoFactor.isOn()) return undefined;
  if (totp === undefined) return 'no token';
  const checked = await twoFactor.check(totp);
  if (checked.ok) return undefined;
  return checked.reason === 'reused' ? 'reused token' : 'wrong token';
};

/** One fixed form of line: programs that lock addresses out read it (docs/fail2ban). */
const refuse = (
  { log }: LoginParts,
  address: string,
  outcome: 'wrong password' | 'wrong token' | 'reused token',
): LoginOutcome => {
  log.warn('Login failed', { address, reason: outcome });
  return { outcome };
};

const enter = async (
  parts: LoginParts,
  from: LoginFrom,
  app: AppPassword | undefined,
  credential: string,
): Promise<LoginOutcome> => {
  const { made, removed } = parts.sessions.create({
    ...from,
    app: app === undefined ? null : { id: app.id, sudo: app.sudo },
    credential,
  });
  if (made === undefined) return { outcome: 'no seat' };
  await parts.onLogin(made.session, removed, app);
  return { outcome: 'logged in', ...made };
};
