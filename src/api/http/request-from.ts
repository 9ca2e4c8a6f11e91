// Where a request comes from: the client's address (also behind a trusted proxy), the protocol, the headers.
// Computed on demand, because most handlers do not need it.

import type { IncomingMessage } from 'node:http';
import { addressText, ipBytes } from '#wire';

export interface RequestFrom {
  readonly address: string;
  /** The other end of the connection: the client, or a proxy. */
  readonly peer: string;
  readonly userAgent: string | null;
  readonly isTls: boolean;
  readonly httpVersion: string;
  readonly method: string;
  readonly headers: { name: string; value: string }[];
  /** Whether the request contains a session id, valid or not. */
  readonly hasSid: boolean;
}

const maxUserAgentLength = 255;

/**
 * An IPv4-mapped IPv6 address is the same client as the IPv4 address (RFC 4291 section 2.5.5.2), and a proxy
 * may write an IPv6 address in another form (RFC 5952).
 */
export function canonicalAddress(address: string | undefined): string {
  if (address === undefined) return 'local';
  // Fast path for IPv4.
  if (!address.includes(':')) return address;
  const bytes = address.includes('%') ? undefined : ipBytes(address);
  return bytes === undefined ? address.replace(/^::ffff:(?=\d+\.)/, '') : addressText(bytes);
}

export function requestFrom(
  raw: IncomingMessage,
  address: string,
  isTls: boolean,
  hasSid: boolean,
): RequestFrom {
  return {
    address,
    peer: canonicalAddress(raw.socket.remoteAddress),
    userAgent: raw.headers['user-agent']?.slice(0, maxUserAgentLength) ?? null,
    isTls,
    httpVersion: raw.httpVersion,
    method: raw.method ?? '',
    headers: Object.entries(raw.headers).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value ?? '']).map((text) => ({ name, value: text })),
    ),
    hasSid,
  };
}
