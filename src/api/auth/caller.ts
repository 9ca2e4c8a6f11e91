// Who sent a request, as handlers see it, and the one place that decides whether that suffices. Whatever
// proves who somebody is becomes a Caller, and nothing behind this file looks at credentials again.

import { fail, type Endpoint, type Failure } from '#contract';
import type { Session } from './sessions.ts';
import type { Actor } from '#store/database';

export type Caller =
  /** Through the control socket: whoever may open that file is the administrator of this machine. */
  | { readonly kind: 'local' }
  /** No password is set, so nothing requires authentication. */
  | { readonly kind: 'anyone' }
  | {
      readonly kind: 'session';
      readonly session: Session;
      readonly sid: string;
      /** A cookie without its CSRF token says who somebody is, but not that the request is meant. */
      readonly way: 'plain' | 'cookie' | 'cookie without token';
    };

/** May change credentials, settings, others' sessions; may undo and restore. */
export const isSudo = (caller: Caller | undefined): boolean =>
  caller !== undefined &&
  (caller.kind !== 'session' || caller.session.app === null || caller.session.app.sudo);

export const accessFailure = (
  declared: Endpoint,
  caller: Caller | undefined,
): Failure<'unauthorized' | 'forbidden'> | undefined => {
  if (declared.access === 'open') return undefined;
  if (caller === undefined || lacksCsrfToken(caller)) return fail('unauthorized');
  if (declared.access === 'session' || isSudo(caller)) return undefined;
  return fail(
    'forbidden',
    'This application password may not do that: make one with `sudo`, or use the password.',
  );
};

export const lacksCsrfToken = (caller: Caller): boolean =>
  caller.kind === 'session' && caller.way === 'cookie without token';

export const actorOf = (caller: Caller | undefined): Actor => {
  switch (caller?.kind) {
    case 'local':
      return 'local administrator';
    case 'session':
      return `session ${caller.session.id} from ${caller.session.address}`;
    case 'anyone':
    case undefined:
      return 'anyone (no password is set)';
  }
};
