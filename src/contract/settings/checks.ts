// Checks of values that several settings share: host names, addresses with or without a prefix length,
// origins. They use no platform functions, because this room also runs in a browser.

import { isIpAddress } from '../ip-text.ts';

// RFC 1123 section 2.1 with the underscore that real networks use.
const label = /^(?!-)[A-Za-z0-9_-]{1,63}(?<!-)$/;

export function isHostName(name: string): boolean {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  return bare.length > 0 && bare.length <= 253 && bare.split('.').every((part) => label.test(part));
}

export function hostNameProblem(value: string): string | undefined {
  return isHostName(value) ? undefined : 'not a host name';
}

export function addressRangeProblem(value: string): string | undefined {
  const [address = '', length, ...rest] = value.split('/');
  const bits = isIpAddress(address) === 4 ? 32 : 128;
  if (isIpAddress(address) === 0 || rest.length > 0) return 'neither an address nor a range';
  if (length === undefined) return undefined;
  return /^\d{1,3}$/.test(length) && Number(length) <= bits
    ? undefined
    : `prefix length not from 0 to ${bits}`;
}

export function originProblem(value: string): string | undefined {
  const parts = /^https?:\/\/(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/.exec(value);
  return parts === null ? 'not an origin' : undefined;
}
