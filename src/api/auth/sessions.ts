// The sessions: who is logged in. They live in memory; logins and ends are written at once so that a restart
// keeps them, the sliding end at most once a minute and at the stop. Time in here is the steady clock's: a
// system clock that jumps neither ends a session nor keeps it alive.

import { csrfOf, newSessionId, sessionKey } from './session-id.ts';

export interface Session {
  readonly id: number;
  /** SHA-256 of the session id. */
  readonly key: string;
  readonly address: string;
  readonly userAgent: string | null;
  readonly loginAtMs: number;
  readonly isTls: boolean;
  /** The application password that it was made with; null for the regular password. */
  readonly app: { readonly id: number; readonly sudo: boolean } | null;
  /** Which state of the regular password it was made with. */
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

/** After this time without use, a session gives way to a new one of the same client. */
export const idleBeforeReclaimMs = 60_000;

export interface SessionsOptions {
  /** Steady clock. */
  readonly nowMs: () => number;
  readonly limits: () => SessionLimits;
  /** Unix time, for what is shown and kept. */
  readonly wallMs: () => number;
}

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #byKey = new Map<string, Session>();
  #nextId = 1;

  /** Ids go on from `lastId`, so that none is ever given twice. */
  constructor(options: SessionsOptions, kept: Iterable<Session>, lastId: number) {
    this.#options = options;
    this.#nextId = lastId + 1;
    for (const session of kept) {
      this.#byKey.set(session.key, session);
      this.#nextId = Math.max(this.#nextId, session.id + 1);
    }
  }

  /** Those that have not ended. */
  all(): Session[] {
    const now = this.#options.nowMs();
    return [...this.#byKey.values()].filter(({ endsMs }) => endsMs > now);
  }

  find(sid: string): Session | undefined {
    const key = sessionKey(sid);
    const session = key === undefined ? undefined : this.#byKey.get(key);
    return session !== undefined && session.endsMs > this.#options.nowMs() ? session : undefined;
  }

  /** Whether a session that has not ended was made from this address. */
  isKnown(address: string): boolean {
    return this.all().some((session) => session.address === address);
  }

  /** Whether it has not ended. */
  isOpen(session: Session): boolean {
    return this.#byKey.get(session.key) === session && session.endsMs > this.#options.nowMs();
  }

  /** Nothing when all seats are taken. `removed` are the sessions that gave way. */
  create(request: SessionRequest): { readonly made: NewSession | undefined; readonly removed: Session[] } {
    const removed = this.#dropEnded();
    const { maxSessions, validityMs } = this.#options.limits();
    if (!this.#hasSeat(request, maxSessions)) {
      const idle = this.#idleOf(request);
      if (idle === undefined) return { made: undefined, removed };
      this.end(idle);
      removed.push(idle);
    }
    const sid = newSessionId();
    const nowMs = this.#options.nowMs();
    const session: Session = {
      ...request,
      id: this.#nextId++,
      // A fresh id is never empty nor too long.
      key: sessionKey(sid) ?? '',
      loginAtMs: this.#options.wallMs(),
      lastUsedMs: nowMs,
      endsMs: nowMs + validityMs,
    };
    this.#byKey.set(session.key, session);
    return { made: { sid, csrf: csrfOf(sid), session }, removed };
  }

  /** A request was answered well: the session lasts from now on. */
  touch(session: Session): void {
    const nowMs = this.#options.nowMs();
    session.lastUsedMs = nowMs;
    session.endsMs = nowMs + this.#options.limits().validityMs;
  }

  end(session: Session): boolean {
    return this.#byKey.delete(session.key);
  }

  /** Seconds that are left. */
  validity(session: Session): number {
    return Math.max(0, Math.round((session.endsMs - this.#options.nowMs()) / 1000));
  }

  /** Application passwords leave one seat free, so that a person can always log in. */
  #hasSeat(request: SessionRequest, maxSessions: number): boolean {
    if (this.#byKey.size >= maxSessions) return false;
    const apps = [...this.#byKey.values()].filter(({ app }) => app !== null).length;
    return request.app === null || apps < maxSessions - 1;
  }

  /** An application takes the place of an application, never that of a person. */
  #idleOf({ address, userAgent, app }: SessionRequest): Session | undefined {
    const latestMs = this.#options.nowMs() - idleBeforeReclaimMs;
    return [...this.#byKey.values()]
      .filter((one) => app === null || one.app !== null)
      .filter((one) => one.address === address && one.userAgent === userAgent && one.lastUsedMs <= latestMs)
      .toSorted((a, b) => a.lastUsedMs - b.lastUsedMs)[0];
  }

  #dropEnded(): Session[] {
    const now = this.#options.nowMs();
    const ended = [...this.#byKey.values()].filter(({ endsMs }) => endsMs <= now);
    for (const session of ended) this.#byKey.delete(session.key);
    return ended;
  }
}
