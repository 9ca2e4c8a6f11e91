// Identifies the caller of a request, and owns the sessions: their copy on disk, and everything that ends
// them. Logins and logouts are written at once; the expiry, which every request extends, is written once a
// minute, because a write for every request would cost more than the request. If the disk is not writable,
// sessions live in memory.

import type { Log } from '#platform/log';
import type { Caller } from './caller.ts';
import type { LiveSettings } from '#store/settings';
import type { StoredSession, Storage } from '#store/database';
import { createAttempts } from './attempts.ts';
import { findSessionId, type RequestHeaders } from './find-session-id.ts';
import { sessionCookie } from './cookie.ts';
import type { LoginParts } from './login.ts';
import { createHashingGate } from './hashing-gate.ts';
import { openPassword, type Password } from './password.ts';
import { isCsrfOf } from './session-id.ts';
import { Sessions, type Session } from './sessions.ts';
import { createTwoFactor, type TwoFactor } from './two-factor.ts';

export interface AuthenticatorOptions {
  readonly storage: Storage;
  readonly settings: LiveSettings;
  readonly log: Log;
  /** Steady clock. */
  readonly nowMs: () => number;
  /** Unix time. */
  readonly wallMs: () => number;
  readonly hostname: string;
}

/** The parts of a request that can identify its caller. */
export interface RequestCredentials {
  readonly isControlSocket: boolean;
  readonly headers: RequestHeaders;
  readonly querySid: string | undefined;
  readonly bodySid: string | undefined;
  readonly address: () => string;
}

const saveEveryMs = 60_000;
const lastIdName = 'last session id';

export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #saving: NodeJS.Timeout;
  readonly sessions: Sessions;
  readonly password: Password;
  readonly twoFactor: TwoFactor;
  readonly attempts = createAttempts();

  static async open(options: AuthenticatorOptions): Promise<Authenticator> {
    const password = await openPassword(options.settings, options.storage.secrets);
    const kept = await options.storage.sessions.load();
    const apps = new Map((await options.storage.apps.list()).map((app) => [app.id, app]));
    const now = { wallMs: options.wallMs(), nowMs: options.nowMs() };
    return new Authenticator(
      options,
      password,
      kept.flatMap((one) => restoredSession(one, apps, now.wallMs, now.nowMs)),
    );
  }

  private constructor(options: AuthenticatorOptions, password: Password, kept: readonly Session[]) {
    const { settings, storage, hostname, nowMs, wallMs } = options;
    this.#options = options;
    this.password = password;
    this.twoFactor = createTwoFactor(storage.secrets, hostname, wallMs);
    const limits = () => ({
      maxSessions: settings.current.auth.maxSessions,
      validityMs: settings.current.auth.validitySeconds * 1000,
    });
    this.sessions = new Sessions(
      { nowMs, wallMs, limits },
      kept,
      Number(storage.secrets.get(lastIdName) ?? 0),
    );
    settings.subscribe((changed) => {
      if (changed.has('auth.password')) void this.#endOldCredentials();
    });
    this.#saving = setInterval(() => void this.save(), saveEveryMs).unref();
    void this.#endOldCredentials();
  }

  /** The caller; `conflict` when the request carries different session ids. */
  identify(request: RequestCredentials): Caller | 'conflict' | undefined {
    if (request.isControlSocket) return { kind: 'local' };
    if (this.password.isNone()) return { kind: 'anyone' };
    const found = findSessionId(request.headers, request.querySid, request.bodySid);
    if (found.way === 'none') return undefined;
    if (found.way === 'conflict') return 'conflict';
    const { sid } = found;
    const session = this.sessions.find(sid);
    if (session === undefined || !this.#isFrom(session, request.address)) return undefined;
    if (found.way === 'plain') return { kind: 'session', session, sid, way: 'plain' };
    return {
      kind: 'session',
      session,
      sid,
      way: isCsrfOf(sid, found.csrf) ? 'cookie' : 'cookie without token',
    };
  }

  /** Whether a caller that was identified earlier would still be accepted. */
  isStillValid(caller: Caller | undefined): boolean {
    if (caller?.kind === 'session') return this.sessions.isOpen(caller.session);
    return caller?.kind === 'local' || this.password.isNone();
  }

  /** Extends the session after a successful reply. Returns the cookie to set, if the caller sent one. */
  touch(caller: Caller | undefined, isTls: () => boolean): string | undefined {
    if (caller?.kind !== 'session') return undefined;
    this.sessions.touch(caller.session);
    if (caller.way === 'plain') return undefined;
    const { auth, web } = this.#options.settings.current;
    return sessionCookie(caller.sid, auth.validitySeconds, { basePath: web.basePath, isTls: isTls() });
  }

  /** Ends the sessions in memory in any case; returns whether this was also written to disk. */
  async endSessions(sessions: readonly Session[]): Promise<boolean> {
    for (const session of sessions) this.sessions.end(session);
    return this.#warnUnlessStored(await this.#options.storage.sessions.remove(sessions.map(({ id }) => id)));
  }

  /** Ends the sessions that were opened with an application password. */
  async endAppSessions(appId: number): Promise<void> {
    await this.endSessions(this.sessions.all().filter(({ app }) => app?.id === appId));
  }

  /** Ends the sessions that were opened with the regular password, except that of the caller. */
  async endOthers(caller: Caller | undefined): Promise<boolean> {
    const own = caller?.kind === 'session' ? caller.session.id : undefined;
    return this.endSessions(this.sessions.all().filter(({ app, id }) => app === null && id !== own));
  }

  async save(): Promise<void> {
    this.#warnUnlessStored(
      await this.#options.storage.sessions.save(this.sessions.all().map((one) => this.#storedForm(one))),
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#saving);
    await this.save();
  }

  loginParts(): LoginParts {
    const { storage, nowMs, wallMs, log } = this.#options;
    const { sessions, password, twoFactor } = this;
    return {
      sessions,
      password,
      twoFactor,
      nowMs,
      log,
      attempts: this.attempts,
      gate: createHashingGate(),
      findApp: async (key) => storage.apps.find(key),
      onLogin: async (session, removed, app) => {
        const isStored =
          (await storage.sessions.remove(removed.map(({ id }) => id))) &&
          // If the session has been ended meanwhile, it must not be stored again.
          (!this.sessions.all().includes(session) ||
            (await storage.sessions.save([this.#storedForm(session)])));
        await storage.secrets.set(lastIdName, String(session.id));
        this.#warnUnlessStored(
          isStored && (app === undefined || (await storage.apps.markUsed(app.id, wallMs()))),
        );
      },
    };
  }

  async #endOldCredentials(): Promise<void> {
    const credential = this.password.credential();
    const old = this.sessions.all().filter((one) => one.app === null && one.credential !== credential);
    if (old.length > 0) await this.endSessions(old);
  }

  #isFrom(session: Session, address: () => string): boolean {
    return !this.#options.settings.current.auth.bindAddress || session.address === address();
  }

  #storedForm(session: Session): StoredSession {
    const { nowMs, wallMs } = this.#options;
    const toWall = wallMs() - nowMs();
    return {
      id: session.id,
      key: session.key,
      address: session.address,
      user_agent: session.userAgent,
      login_at_ms: Math.round(session.loginAtMs),
      last_used_ms: Math.round(session.lastUsedMs + toWall),
      ends_ms: Math.round(session.endsMs + toWall),
      is_tls: session.isTls ? 1 : 0,
      app_id: session.app?.id ?? null,
      credential: session.credential,
    };
  }

  #warnUnlessStored(isStored: boolean): boolean {
    if (!isStored) this.#options.log.warn('Sessions could not be written; they last until the service ends.');
    return isStored;
  }
}

/** A stored session on this run's clock; empty if it has expired or its application password was deleted. */
function restoredSession(
  kept: StoredSession,
  apps: ReadonlyMap<number, { readonly sudo: boolean }>,
  wallMs: number,
  nowMs: number,
): Session[] {
  const app = kept.app_id === null ? null : apps.get(kept.app_id);
  if (kept.ends_ms <= wallMs || app === undefined) return [];
  return [
    {
      id: kept.id,
      key: kept.key,
      address: kept.address,
      userAgent: kept.user_agent,
      loginAtMs: kept.login_at_ms,
      isTls: kept.is_tls === 1,
      app: app === null || kept.app_id === null ? null : { id: kept.app_id, sudo: app.sudo },
      credential: kept.credential,
      lastUsedMs: nowMs - (wallMs - kept.last_used_ms),
      endsMs: nowMs + (kept.ends_ms - wallMs),
    },
  ];
}
