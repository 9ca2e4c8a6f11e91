// Addresses of lists as anybody may see them: user and password, which may both be secrets (a token often
// stands as the user), are one mask. They are no part of what a list is known by either: the masked address,
// as the API shows it, leads to the list, and whoever writes it back changes nothing about the password.

import { secretMask } from '../secret-mask.ts';

/** The scheme with its slashes, of which URLs may have any number, and what stands before the last @. */
const credentials = /^([a-z][a-z0-9+.-]*:[/\\]*)[^/\\?#]*@/iu;
/** The same of a text that is no URL: nobody knows where its password ends. */
const anyCredentials = /^([^/\\?#@]*:[/\\]+|[/\\]*).*@/su;

export function maskedAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address.replace(anyCredentials, `$1${secretMask}@`);
  const hasNone = url.username === '' && url.password === '';
  return hasNone ? address : address.replace(credentials, `$1${secretMask}@`);
}

/** Whether the password of an address is the mask, so that only the list that is there has the real one. */
export function isMasked(address: string): boolean {
  return address !== '' && URL.parse(address)?.username === secretMask;
}

export function isSameAddress(one: string, other: string): boolean {
  return maskedAddress(one) === maskedAddress(other);
}

export function withMaskedAddress<T extends { readonly address: string }>(item: T): T {
  return { ...item, address: maskedAddress(item.address) };
}
