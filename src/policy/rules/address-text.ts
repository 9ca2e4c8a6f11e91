// Addresses in the text of rules: recognized, turned into bytes, and the few that mean "nowhere". Node
// decides what is an address; only the bytes are computed here.

import { isIP, isIPv4 } from 'node:net';

import type { AnswerForm } from '../verdict.ts';

/** Also with a zone (fe80::1%lo0): hosts files contain them. */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0;
}

/** 4 or 16 bytes; undefined when the text is not an address. */
export function addressBytes(text: string): Uint8Array | undefined {
  const family = isIP(text);
  if (family === 4) return Uint8Array.from(text.split('.'), Number);
  return family === 6 ? ipv6Bytes(text.replace(/%.*$/, '')) : undefined;
}

function ipv6Bytes(text: string): Uint8Array {
  const [head = '', tail] = text.split('::');
  const before = groupBytes(head);
  const after = groupBytes(tail ?? '');
  const bytes = new Uint8Array(16);
  bytes.set(before, 0);
  bytes.set(after, 16 - after.length);
  return bytes;
}

function groupBytes(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (isIPv4(group)) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
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
