// Who sent a request, as handlers see it, and the one place that decides whether that suffices. Sessions join
// here: whatever proves who somebody is becomes a Caller, and nothing behind this file looks at credentials
// again.

import { fail, type Endpoint, type Failure } from '#contract';
import type { Actor } from '../storage/change.ts';

export type Caller =
  /** Through the control socket: whoever may open that file is the administrator of this machine. */
  | { readonly kind: 'local' }
  /** No password is set, so nothing requires authentication. */
  | { readonly kind: 'anyone' };

export type Authenticate = (way: { readonly isControlSocket: boolean }) => Caller | undefined;

export const createAuthenticate =
  (passwordIsEmpty: () => boolean): Authenticate =>
  ({ isControlSocket }) => {
    if (isControlSocket) return { kind: 'local' };
    return passwordIsEmpty() ? { kind: 'anyone' } : undefined;
  };

export const accessFailure = (
  declared: Endpoint,
  caller: Caller | undefined,
): Failure<'unauthorized'> | undefined =>
  declared.access === 'open' || caller !== undefined ? undefined : fail('unauthorized');

export const actorOf = (caller: Caller | undefined): Actor => {
  switch (caller?.kind) {
    case 'local':
      return 'local administrator';
    case 'anyone':
    case undefined:
      return 'anyone (no password is set)';
  }
};
