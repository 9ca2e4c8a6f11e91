// Where a request comes from: the client's address (behind a trusted proxy its client's), the protocol, the
// headers. Computed when somebody asks, because most requests are answered without.

import type { IncomingMessage } from 'node:http';
import { isIPv6, SocketAddress } from 'node:net';

export interface RequestFrom {
  readonly address: string;
  /** Who holds the other end of the connection: the same, or a trusted proxy. */
  readonly peer: string;
  readonly userAgent: string | null;
  readonly isTls: boolean;
  readonly httpVersion: string;
  readonly method: string;
  readonly headers: { name: string; value: string }[];
  /** Whether a session id came along, right or wrong. */
  readonly hasSid: boolean;
}

const userAgentLengthMax = 255;

/**
 * IPv4 in IPv6 is the same client as IPv4 (RFC 4291 section 2.5.5.2), and a proxy may spell an IPv6 address
 * in other ways than we do (RFC 5952).
 */
export const canonicalAddress = (address: string | undefined): string => {
  if (address === undefined) return 'local';
  // The usual case, without a look at the rest.
  if (!address.includes(':')) return address;
  const isPlain = address.includes('%') || !isIPv6(address);
  const spelled = isPlain ? address : new SocketAddress({ address, family: 'ipv6' }).address;
  return spelled.replace(/^::ffff:(?=\d+\.)/, '');
};

export const requestFrom = (
  raw: IncomingMessage,
  address: string,
  isTls: boolean,
  hasSid: boolean,
): RequestFrom => ({
  address,
  peer: canonicalAddress(raw.socket.remoteAddress),
  userAgent: raw.headers['user-agent']?.slice(0, userAgentLengthMax) ?? null,
  isTls,
  httpVersion: raw.httpVersion,
  method: raw.method ?? '',
  headers: Object.entries(raw.headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((text) => ({ name, value: text })),
  ),
  hasSid,
});
