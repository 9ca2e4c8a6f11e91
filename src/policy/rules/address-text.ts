// Addresses in the text of rules: recognized, turned into bytes, and the few that mean "nowhere". Node
// decides what is an address, because it also checks the zone, which the parser of wire leaves out.

import { isIP } from 'node:net';
import { ipBytes } from '#wire';

import type { AnswerForm } from '../verdict.ts';

/** Also with a zone (fe80::1%lo0): hosts files contain them. */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0;
}

/** 4 or 16 bytes; undefined when the text is not an address. */
export function addressBytes(text: string): Uint8Array | undefined {
  return isAddress(text) ? ipBytes(text) : undefined;
}

/** 0.0.0.0, ::, 127.x.y.z, ::1: in lists they only mean that the name is blocked. */
function isNowhere(bytes: Uint8Array): boolean {
  if (bytes.length === 4 && bytes[0] === 127) return true;
  const last = bytes.length - 1;
  return bytes.every((byte, at) => byte === 0 || (bytes.length === 16 && at === last && byte === 1));
}

/** The answer for an address in a list; undefined: blocked in the usual way. */
export function addressForm(bytes: Uint8Array): AnswerForm | undefined {
  return isNowhere(bytes) ? undefined : addressesForm([bytes]);
}

export function addressesForm(addresses: readonly Uint8Array[]): AnswerForm {
  return {
    kind: 'addresses',
    ipv4: addresses.filter((bytes) => bytes.length === 4),
    ipv6: addresses.filter((bytes) => bytes.length === 16),
  };
}
