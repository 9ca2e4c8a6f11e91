// Logging in: checks the password and the second factor or an application password, within the limits on
// guessing, and opens a session. There is no other way to open one.

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
        | 'rate limited'
        | 'no free session';
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

export function appPasswordKey(password: string): string {
  return hash('sha256', password, 'base64url');
}

export async function login(
  parts: LoginParts,
  { password, totp }: Credentials,
  from: LoginFrom,
): Promise<LoginOutcome> {
  if (parts.password.isNone()) return { outcome: 'no password set' };
  const { address } = from;
  // Read before the hash is computed: the password may change meanwhile.
  const credential = parts.password.credential();
  if (!parts.attempts.mayTry(address, parts.nowMs())) return { outcome: 'rate limited' };
  // Checked before the limit of the network: an application password costs no hash and cannot be guessed.
  const app = await parts.findApp(appPasswordKey(password));
  if (app !== undefined) return openSession(parts, from, app, credential);
  const gated = await checkThroughGate(parts, { password, totp }, address);
  const problem = gated.ok ? gated.value : 'rate limited';
  if (problem === undefined && credential !== parts.password.credential()) {
    return logFailure(parts, address, 'wrong password');
  }
  if (problem === undefined) return openSession(parts, from, undefined, credential);
  return problem === 'rate limited' || problem === 'no token'
    ? { outcome: problem }
    : logFailure(parts, address, problem);
}

/**
 * Checks the password once the hashing gate admits the attempt; a value of `undefined` means that it is
 * right.
 */
async function checkThroughGate(parts: LoginParts, { password, totp }: Credentials, address: string) {
  const { attempts, sessions, nowMs } = parts;
  const isKnown = sessions.isKnown(address);
  const mayTry = (): boolean =>
    attempts.mayTry(address, nowMs()) && (isKnown || attempts.mayNetworkTry(address, nowMs()));
  // A network over its limit does not occupy the queue.
  if (!mayTry()) return { ok: false } as const;
  return parts.gate(isKnown ? 'known' : 'unknown', networkOf(address), async () => {
    // Other attempts may have failed while this one waited.
    if (!mayTry()) return 'rate limited';
    // Counted before the result is known, so that parallel attempts get no more tries than sequential ones.
    const withdraw = attempts.countFailure(address, nowMs());
    const problem = await credentialsProblem(parts, password, totp);
    if (problem === undefined || problem === 'no token') withdraw();
    return problem;
  });
}

async function credentialsProblem(
  { password, twoFactor }: LoginParts,
  text: string,
  totp: Credentials['totp'],
): Promise<SecondFailure | 'wrong password' | undefined> {
  return (await password.matches(text)) ? secondFactor(twoFactor, totp) : 'wrong password';
}

type SecondFailure = 'no token' | 'wrong token' | 'reused token';

async function secondFactor(
  twoFactor: TwoFactor,
  totp: Credentials['totp'],
): Promise<SecondFailure | undefined> {
  if (!twoFactor.isOn()) return undefined;
  if (totp === undefined) return 'no token';
  const checked = await twoFactor.check(totp);
  if (checked.ok) return undefined;
  return checked.reason === 'reused' ? 'reused token' : 'wrong token';
}

/** The log line has a fixed format, because programs that lock out addresses read it (docs/fail2ban). */
function logFailure(
  { log }: LoginParts,
  address: string,
  outcome: 'wrong password' | 'wrong token' | 'reused token',
): LoginOutcome {
  log.warn('Login failed', { address, reason: outcome });
  return { outcome };
}

async function openSession(
  parts: LoginParts,
  from: LoginFrom,
  app: AppPassword | undefined,
  credential: string,
): Promise<LoginOutcome> {
  const { made, removed } = parts.sessions.create({
    ...from,
    app: app === undefined ? null : { id: app.id, sudo: app.sudo },
    credential,
  });
  if (made === undefined) return { outcome: 'no free session' };
  await parts.onLogin(made.session, removed, app);
  return { outcome: 'logged in', ...made };
}
