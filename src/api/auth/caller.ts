// Who sent a request, as handlers see it, and the one place that decides whether that is enough for an
// endpoint. Every kind of credential becomes a Caller; no code after this file reads credentials.

import { fail, type Endpoint, type Failure } from '#contract';
import type { Session } from './sessions.ts';
import type { Actor } from '#store/database';

export type Caller =
  /** Through the control socket: only an administrator of this machine may open that file. */
  | { readonly kind: 'local' }
  /** No password is set, so nothing requires authentication. */
  | { readonly kind: 'anyone' }
  | {
      readonly kind: 'session';
      readonly session: Session;
      readonly sid: string;
      /** A cookie without its CSRF token identifies the user, but another site may have sent the request. */
      readonly way: 'plain' | 'cookie' | 'cookie without token';
    };

/** Whether the caller may change credentials, settings and other sessions, and may undo and restore. */
export function isSudo(caller: Caller | undefined): boolean {
  return (
    caller !== undefined &&
    (caller.kind !== 'session' || caller.session.app === null || caller.session.app.sudo)
  );
}

export function accessFailure(
  declared: Endpoint,
  caller: Caller | undefined,
): Failure<'unauthorized' | 'forbidden'> | undefined {
  if (declared.access === 'open') return undefined;
  if (caller === undefined || lacksCsrfToken(caller)) return fail('unauthorized');
  if (declared.access === 'session' || isSudo(caller)) return undefined;
  return fail(
    'forbidden',
    'This application password may not do that: make one with `sudo`, or use the password.',
  );
}

export function lacksCsrfToken(caller: Caller): boolean {
  return caller.kind === 'session' && caller.way === 'cookie without token';
}

export function actorOf(caller: Caller | undefined): Actor {
  switch (caller?.kind) {
    case 'local':
      return 'local administrator';
    case 'session':
      return `session ${caller.session.id} from ${caller.session.address}`;
    case 'anyone':
    case undefined:
      return 'anyone (no password is set)';
  }
}
