// Who may subscribe to what: the rights of the caller become the rights of the list, and files of this
// machine are for callers with sudo alone, because what a list tells of a file must not go to others.

import { fail, type Failure } from '#contract';
import { isSudo, type Caller } from '../http/caller.ts';
import type { ListRights } from '../storage/lists.ts';

export function rightsOf(caller: Caller | undefined): ListRights {
  return isSudo(caller) ? 'sudo' : 'limited';
}

export function isFileAddress(address: string): boolean {
  return URL.parse(address)?.protocol === 'file:';
}

/** Why this caller may not add a list of this address. */
export function addressForbidden(
  address: string,
  caller: Caller | undefined,
): Failure<'forbidden'> | undefined {
  if (!isFileAddress(address) || isSudo(caller)) return undefined;
  return fail(
    'forbidden',
    `${address}: lists in files of this machine need sudo: use the password, or an application password ` +
      'that has it.',
  );
}
