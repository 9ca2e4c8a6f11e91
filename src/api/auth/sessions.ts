// The open sessions, in memory; the authenticator stores them, so that they survive a restart. Times are
// those of the steady clock: a jump of the system clock neither ends a session nor extends it.

import { csrfOf, newSessionId, sessionKey } from './session-id.ts';

export interface Session {
  readonly id: number;
  /** SHA-256 of the session id. */
  readonly key: string;
  readonly address: string;
  readonly userAgent: string | null;
  readonly loginAtMs: number;
  readonly isTls: boolean;
  /** The application password that was used to log in; null for the regular password. */
  readonly app: { readonly id: number; readonly sudo: boolean } | null;
  /** Identifies the regular password at the time of the login. */
  readonly credential: string;
  lastUsedMs: number;
  endsMs: number;
}

export interface NewSession {
  readonly sid: string;
  readonly csrf: string;
  readonly session: Session;
}

export interface SessionRequest {
  readonly address: string;
  readonly userAgent: string | null;
  readonly isTls: boolean;
  readonly app: Session['app'];
  readonly credential: string;
}

interface SessionLimits {
  readonly maxSessions: number;
  readonly validityMs: number;
}

/** After this time without use, a new session of the same client may replace a session. */
export const idleBeforeReclaimMs = 60_000;

export interface SessionsOptions {
  /** Steady clock. */
  readonly nowMs: () => number;
  readonly limits: () => SessionLimits;
  /** Unix time, for display and storage. */
  readonly wallMs: () => number;
}

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #byKey = new Map<string, Session>();
  #nextId = 1;

  /** Ids continue after `lastId`, so that none is ever used twice. */
  constructor(options: SessionsOptions, kept: Iterable<Session>, lastId: number) {
    this.#options = options;
    this.#nextId = lastId + 1;
    for (const session of kept) {
      this.#byKey.set(session.key, session);
      this.#nextId = Math.max(this.#nextId, session.id + 1);
    }
  }

  /** The sessions that have not expired. */
  all(): Session[] {
    const now = this.#options.nowMs();
    return [...this.#byKey.values()].filter(({ endsMs }) => endsMs > now);
  }

  find(sid: string): Session | undefined {
    const key = sessionKey(sid);
    const session = key === undefined ? undefined : this.#byKey.get(key);
    return session !== undefined && session.endsMs > this.#options.nowMs() ? session : undefined;
  }

  /** Whether this address has an open session. */
  isKnown(address: string): boolean {
    return this.all().some((session) => session.address === address);
  }

  /** Whether the session has neither expired nor been ended. */
  isOpen(session: Session): boolean {
    return this.#byKey.get(session.key) === session && session.endsMs > this.#options.nowMs();
  }

  /** `made` is undefined when the limit is reached. `removed` are the expired and replaced sessions. */
  create(request: SessionRequest): { readonly made: NewSession | undefined; readonly removed: Session[] } {
    const removed = this.#removeExpired();
    const { maxSessions, validityMs } = this.#options.limits();
    if (!this.#hasCapacity(request, maxSessions)) {
      const replaced = this.#replaceable(request);
      if (replaced === undefined) return { made: undefined, removed };
      this.end(replaced);
      removed.push(replaced);
    }
    const sid = newSessionId();
    const nowMs = this.#options.nowMs();
    const session: Session = {
      ...request,
      id: this.#nextId++,
      // A new id is neither empty nor too long.
      key: sessionKey(sid) ?? '',
      loginAtMs: this.#options.wallMs(),
      lastUsedMs: nowMs,
      endsMs: nowMs + validityMs,
    };
    this.#byKey.set(session.key, session);
    return { made: { sid, csrf: csrfOf(sid), session }, removed };
  }

  /** Extends the session after a successful reply: its validity starts again. */
  touch(session: Session): void {
    const nowMs = this.#options.nowMs();
    session.lastUsedMs = nowMs;
    session.endsMs = nowMs + this.#options.limits().validityMs;
  }

  end(session: Session): boolean {
    return this.#byKey.delete(session.key);
  }

  /** Seconds until the session expires. */
  validity(session: Session): number {
    return Math.max(0, Math.round((session.endsMs - this.#options.nowMs()) / 1000));
  }

  /** Sessions of application passwords leave one free, so that a person can always log in. */
  #hasCapacity(request: SessionRequest, maxSessions: number): boolean {
    if (this.#byKey.size >= maxSessions) return false;
    const apps = [...this.#byKey.values()].filter(({ app }) => app !== null).length;
    return request.app === null || apps < maxSessions - 1;
  }

  /** The session to replace. An application never replaces a regular session. */
  #replaceable({ address, userAgent, app }: SessionRequest): Session | undefined {
    const latestMs = this.#options.nowMs() - idleBeforeReclaimMs;
    return [...this.#byKey.values()]
      .filter((one) => app === null || one.app !== null)
      .filter((one) => one.address === address && one.userAgent === userAgent && one.lastUsedMs <= latestMs)
      .toSorted((a, b) => a.lastUsedMs - b.lastUsedMs)[0];
  }

  #removeExpired(): Session[] {
    const now = this.#options.nowMs();
    const ended = [...this.#byKey.values()].filter(({ endsMs }) => endsMs <= now);
    for (const session of ended) this.#byKey.delete(session.key);
    return ended;
  }
}
