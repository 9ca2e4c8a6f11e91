// Which addresses a caller may subscribe to: a URL that can be fetched, with its real password. The rights of
// the caller become the rights of the list. Files of this machine require sudo, because a list reveals parts
// of the file to other callers.

import { fail, limits, type Failure } from '#contract';
import { isSudo, type Caller } from '../auth/caller.ts';
import { builtInList, isMasked, type ListRights, maskedAddress } from '#store/database/entities';
import { hasBlanks } from './entries.ts';

export type AddressFailure = Failure<'blanks' | 'invalidAddress' | 'forbidden'>;

export function rightsOf(caller: Caller | undefined): ListRights {
  return isSudo(caller) ? 'sudo' : 'limited';
}

export function isFileAddress(address: string): boolean {
  return URL.parse(address)?.protocol === 'file:';
}

/** Why this caller may not add a list with this new address. */
export function addressFailure(address: string, caller: Caller | undefined): AddressFailure | undefined {
  const shown = maskedAddress(address);
  if (hasBlanks(address)) return fail('blanks', shown);
  const problem = addressProblem(address);
  if (problem !== undefined) return fail('invalidAddress', `${shown}: ${problem}.`);
  if (!isFileAddress(address) || isSudo(caller)) return undefined;
  return fail(
    'forbidden',
    `${shown}: lists in files of this machine need sudo: use the password, or an application password ` +
      'that has it.',
  );
}

function addressProblem(address: string): string | undefined {
  if (address === builtInList.address) return undefined;
  if (address.length > limits.listAddressLength)
    return `it has more than ${limits.listAddressLength} characters; write a shorter one`;
  const url = /^(?:https?|file):\/\//iu.test(address) ? URL.parse(address) : null;
  if (url === null) return 'not a URL of a list; write https://…, http://… or file:///…';
  if (url.protocol === 'file:' && url.host !== '')
    return 'not a file of this machine; write file:///, three slashes, and its path';
  if (isMasked(address)) return 'its password is masked, and no list has it; write the real one';
  return undefined;
}
