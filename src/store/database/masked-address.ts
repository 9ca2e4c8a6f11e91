// Addresses of lists without their secrets. User and password are replaced by one mask, because a token often
// stands in place of the user. Two addresses that differ only in user and password are the same list. So the
// masked address, as the API shows it, identifies the list, and a client that sends it back does not change
// the password.

import { secretMask } from '../secret-mask.ts';

/** The scheme with its slashes, of which URLs may have any number, and the text before the last @. */
const credentials = /^([a-z][a-z0-9+.-]*:[/\\]*)[^/\\?#]*@/iu;
/** The same for a text that is not a URL, where the password may contain any character. */
const anyCredentials = /^([^/\\?#@]*:[/\\]+|[/\\]*).*@/su;

export function maskedAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address.replace(anyCredentials, `$1${secretMask}@`);
  const hasNone = url.username === '' && url.password === '';
  return hasNone ? address : address.replace(credentials, `$1${secretMask}@`);
}

/** Whether the address contains the mask; the real password is then only in the stored list. */
export function isMasked(address: string): boolean {
  return address !== '' && URL.parse(address)?.username === secretMask;
}

export function isSameAddress(one: string, other: string): boolean {
  return maskedAddress(one) === maskedAddress(other);
}

export function withMaskedAddress<T extends { readonly address: string }>(item: T): T {
  return { ...item, address: maskedAddress(item.address) };
}
