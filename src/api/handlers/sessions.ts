// Handlers of sessions and application passwords: listing, creating and ending them.

import { randomBytes } from 'node:crypto';
import { fail, limits, type Failure } from '#contract';
import { appPasswordKey } from '../auth/login.ts';
import type { Session, Sessions } from '../auth/sessions.ts';
import { actorOf, isSudo, type Caller } from '../auth/caller.ts';
import type { Handlers } from '../http/handler.ts';
import { type Change, writeFailure } from '#store/database';
import {
  type AppPassword,
  countAppPasswords,
  deleteAppPassword,
  insertAppPassword,
} from '#store/database/entities';

type Names = 'getSessions' | 'deleteSession' | 'getApps' | 'createApp' | 'deleteApp';

export interface SessionsParts {
  readonly sessions: Sessions;
  readonly change: Change;
  readonly listApps: () => Promise<AppPassword[]>;
  /** Returns whether this was written to disk. */
  readonly endSessions: (sessions: readonly Session[]) => Promise<boolean>;
  /** Steady clock, and Unix time. */
  readonly nowMs: () => number;
  readonly wallMs: () => number;
}

const appPasswordBytes = 32;

export function createSessionsHandlers(parts: SessionsParts): Pick<Handlers, Names> {
  return {
    getSessions: ({ caller }) => {
      const own = ownId(caller);
      return {
        status: 200,
        body: { sessions: parts.sessions.all().map((session) => row(parts, session, own)) },
      };
    },
    deleteSession: async ({ params, caller }) => {
      if (params.id !== ownId(caller) && !isSudo(caller))
        return fail('forbidden', 'With this credential you can only end your own session.');
      const found = parts.sessions.all().find(({ id }) => id === params.id);
      if (found === undefined) return fail('notFound', `There is no session ${params.id}.`);
      return (await parts.endSessions([found])) ? { status: 204 } : notWritten();
    },
    getApps: async () => ({ status: 200, body: { apps: await parts.listApps() } }),
    createApp: async ({ body, caller }) => {
      const password = randomBytes(appPasswordBytes).toString('base64url');
      const key = appPasswordKey(password);
      const outcome = await parts.change(actorOf(caller), async (scope) => {
        if ((await countAppPasswords(scope)) >= limits.appPasswords) return fail('collectionFull');
        return insertAppPassword(scope, body.name, body.sudo ?? false, key);
      });
      if (!outcome.ok) return writeFailure(outcome);
      if ('failure' in outcome.value) return outcome.value;
      return { status: 201, body: { app: { ...outcome.value, password } } };
    },
    deleteApp: async ({ params, caller }) => {
      const outcome = await parts.change(actorOf(caller), (scope) => deleteAppPassword(scope, params.id));
      if (!outcome.ok) return writeFailure(outcome);
      if (outcome.value === undefined)
        return fail('notFound', `There is no application password ${params.id}.`);
      await parts.endSessions(parts.sessions.all().filter(({ app }) => app?.id === params.id));
      return { status: 204 };
    },
  };
}

function ownId(caller: Caller | undefined): number | undefined {
  return caller?.kind === 'session' ? caller.session.id : undefined;
}

function row({ nowMs, wallMs }: SessionsParts, session: Session, own: number | undefined) {
  // Converts a time of the steady clock to Unix time.
  const unixSeconds = (steadyMs: number): number => Math.round((wallMs() + steadyMs - nowMs()) / 1000);
  return {
    id: session.id,
    current_session: session.id === own,
    valid: true,
    tls: { login: session.isTls, mixed: false },
    login_at: Math.round(session.loginAtMs / 1000),
    last_active: unixSeconds(session.lastUsedMs),
    valid_until: unixSeconds(session.endsMs),
    remote_addr: session.address,
    user_agent: session.userAgent,
    x_forwarded_for: null,
    app: session.app !== null,
    app_id: session.app?.id ?? null,
    cli: false,
  };
}

function notWritten(): Failure<'databaseAway'> {
  return fail(
    'databaseAway',
    'The session has ended, but this could not be stored: it is valid again after a restart.',
  );
}
