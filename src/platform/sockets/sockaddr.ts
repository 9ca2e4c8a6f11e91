// The kernel's socket addresses (sockaddr_in, sockaddr_in6, sockaddr_un) from and to plain data. No system
// calls; a zone such as `%eth0` is already a number here. The family and the scope id are in host byte order,
// which is little-endian on both supported architectures; ports and addresses are in network byte order.
// Address text is validated where it enters the program; an invalid one here is a bug and throws.

import { ipv4Text, ipv6Text, writeIpv4, writeIpv6 } from '#wire';
import { AF_INET, AF_INET6, AF_UNIX } from './linux-constants.ts';

export type SocketAddress =
  | { readonly family: 'ipv4'; readonly address: string; readonly port: number }
  | { readonly family: 'ipv6'; readonly address: string; readonly port: number; readonly scopeId: number }
  | { readonly family: 'unix'; readonly path: string };

/** sun_path holds 108 bytes, the last of them the terminating zero. */
export const maxUnixPathBytes = 107;

const ipv4Bytes = 16;
const ipv6Bytes = 28;

export function encodeSockaddr(socketAddress: SocketAddress): Uint8Array {
  switch (socketAddress.family) {
    case 'ipv4':
      return encodeIpv4(socketAddress.address, socketAddress.port);
    case 'ipv6':
      return encodeIpv6(socketAddress.address, socketAddress.port, socketAddress.scopeId);
    case 'unix':
      return encodeUnix(socketAddress.path);
  }
}

/** `undefined` for an unsupported family and for truncated bytes. */
export function decodeSockaddr(bytes: Uint8Array): SocketAddress | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const family = view.length < 2 ? undefined : view.readUInt16LE(0);
  if (family === AF_INET && view.length >= ipv4Bytes) return decodeIpv4(view);
  if (family === AF_INET6 && view.length >= ipv6Bytes) return decodeIpv6(view);
  return family === AF_UNIX ? decodeUnix(view) : undefined;
}

function encodeIpv4(address: string, port: number): Uint8Array {
  const bytes = Buffer.alloc(ipv4Bytes);
  bytes.writeUInt16LE(AF_INET, 0);
  bytes.writeUInt16BE(port, 2);
  if (!writeIpv4(bytes, 4, address)) throw new RangeError(`not an IPv4 address: ${address}`);
  return bytes;
}

function decodeIpv4(view: Buffer): SocketAddress {
  return { family: 'ipv4', address: ipv4Text(view, 4), port: view.readUInt16BE(2) };
}

function encodeIpv6(address: string, port: number, scopeId: number): Uint8Array {
  const bytes = Buffer.alloc(ipv6Bytes);
  bytes.writeUInt16LE(AF_INET6, 0);
  bytes.writeUInt16BE(port, 2);
  if (!writeIpv6(bytes, 8, address)) throw new RangeError(`not an IPv6 address: ${address}`);
  bytes.writeUInt32LE(scopeId, 24);
  return bytes;
}

function decodeIpv6(view: Buffer): SocketAddress {
  const address = ipv6Text(view, 8);
  return { family: 'ipv6', address, port: view.readUInt16BE(2), scopeId: view.readUInt32LE(24) };
}

function encodeUnix(path: string): Uint8Array {
  const text = Buffer.from(path, 'utf8');
  if (text.length > maxUnixPathBytes)
    throw new RangeError(`unix socket path of ${text.length} bytes: ${path}`);
  const bytes = Buffer.alloc(2 + text.length + 1);
  bytes.writeUInt16LE(AF_UNIX, 0);
  bytes.set(text, 2);
  return bytes;
}

function decodeUnix(view: Buffer): SocketAddress {
  const end = view.indexOf(0, 2);
  return { family: 'unix', path: view.toString('utf8', 2, end < 0 ? view.length : end) };
}
