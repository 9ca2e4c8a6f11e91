// Binds a socket to a listen address, for listeners and for the probe for free ports. `*` becomes one
// dual-stack socket on `::` and, on a machine without IPv6, a socket on 0.0.0.0; an explicit IPv6 address
// never includes IPv4, so that `[::]:80` and `0.0.0.0:80` can be used together. SO_REUSEADDR only for TCP,
// where it means "do not wait for TIME_WAIT": for UDP it would let two programs share a port. SO_REUSEPORT
// only for a further socket of this program (`sharesPort`), never for the first one of an address, because a
// port that another program uses must be an error.

import { meansIpv6Missing } from './bind-problem.ts';
import type { Libc, Outcome } from './libc.ts';
import {
  AF_INET,
  AF_INET6,
  IPPROTO_IPV6,
  IPV6_V6ONLY,
  SO_REUSEADDR,
  SO_REUSEPORT,
  SOCK_DGRAM,
  SOCK_STREAM,
  SOL_SOCKET,
} from './linux-constants.ts';
import { formatListenHost, type ListenAddress } from '#contract';
import { decodeSockaddr, encodeSockaddr, type SocketAddress } from './sockaddr.ts';

export type SocketKind = 'tcp' | 'udp';

export interface BoundSocket {
  readonly fd: number;
  readonly family: ListenAddress['family'];
  readonly address: string;
  readonly port: number;
}

/** `sharesPort` when another socket of this program is bound to the address and allows sharing. */
export function bindSocket(
  libc: Libc,
  kind: SocketKind,
  address: ListenAddress,
  sharesPort = false,
): Outcome<BoundSocket> {
  if (address.family !== 'both') return bindOne(libc, kind, address, sharesPort);
  const dual = bindOne(libc, kind, { ...address, host: '::' });
  if (dual.ok || !meansIpv6Missing(dual.code)) return dual;
  return bindOne(libc, kind, { ...address, family: 'ipv4', host: '0.0.0.0' });
}

function bindOne(
  libc: Libc,
  kind: SocketKind,
  address: ListenAddress,
  sharesPort = false,
): Outcome<BoundSocket> {
  const to = socketAddress(libc, address);
  if (!to.ok) return to;
  const family = address.family === 'ipv4' ? AF_INET : AF_INET6;
  const made = libc.socket(family, kind === 'tcp' ? SOCK_STREAM : SOCK_DGRAM);
  if (!made.ok) return made;
  const fd = made.value;
  const shared = sharesPort ? libc.setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, 1) : made;
  const port = shared.ok ? bindTo(libc, fd, kind, address.family, to.value) : shared;
  if (!port.ok) {
    libc.close(fd);
    return port;
  }
  return {
    ok: true,
    value: { fd, family: address.family, address: formatListenHost(address), port: port.value },
  };
}

function bindTo(
  libc: Libc,
  fd: number,
  kind: SocketKind,
  family: ListenAddress['family'],
  to: SocketAddress,
): Outcome<number> {
  const prepared = prepare(libc, fd, kind, family);
  if (!prepared.ok) return prepared;
  const bound = libc.bind(fd, encodeSockaddr(to));
  return bound.ok ? localPort(libc, fd) : bound;
}

function prepare(libc: Libc, fd: number, kind: SocketKind, family: ListenAddress['family']): Outcome<number> {
  const reuse = libc.setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, kind === 'tcp' ? 1 : 0);
  if (!reuse.ok || family === 'ipv4') return reuse;
  // Set explicitly in both cases, because net.ipv6.bindv6only can change the default.
  return libc.setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, family === 'ipv6' ? 1 : 0);
}

function localPort(libc: Libc, fd: number): Outcome<number> {
  const name = libc.getsockname(fd);
  if (!name.ok) return name;
  const local = decodeSockaddr(name.value);
  const port = local === undefined || local.family === 'unix' ? 0 : local.port;
  return { ok: true, value: port };
}

function socketAddress(libc: Libc, address: ListenAddress): Outcome<SocketAddress> {
  const { family, host, port, zone } = address;
  if (family === 'ipv4') return { ok: true, value: { family, address: host, port } };
  const scope = scopeId(libc, zone);
  if (!scope.ok) return scope;
  return { ok: true, value: { family: 'ipv6', address: host, port, scopeId: scope.value } };
}

/** A zone is the name of an interface or its number (RFC 4007 section 11.2). */
function scopeId(libc: Libc, zone: string): Outcome<number> {
  if (/^\d*$/u.test(zone)) return { ok: true, value: Number(zone) };
  return libc.interfaceIndex(zone);
}
