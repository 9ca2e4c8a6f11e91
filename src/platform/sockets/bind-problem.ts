// Why an address could not be bound, as a message for the operator: what happened, where, and what to do. One
// table for the listeners with and without libc, because node:net reports the same codes.

import { formatListenAddress, type ListenAddress } from '#contract';

const firstUnprivilegedPort = 1024;

export function bindProblem(setting: string, address: ListenAddress, code: string): string {
  return `${setting}: cannot listen on ${formatListenAddress(address)}: ${reason(address, code)}`;
}

/** The codes for `::` when IPv6 is not built in, or disabled. */
export function meansIpv6Missing(code: string): boolean {
  return code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL';
}

function reason(address: ListenAddress, code: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `the port is taken by another program (${code}). Free it or choose another port.`;
    case 'EACCES':
      return accessReason(address.port, code);
    case 'EADDRNOTAVAIL':
      return `no interface has this address (${code}). Choose one that this machine has, or *.`;
    case 'ENODEV':
      return `there is no interface named ${address.zone} (${code}). Choose an interface of this machine.`;
    case 'EAFNOSUPPORT':
      return `this machine has no ${familyName(address)} (${code}). Choose another address.`;
    case 'EMFILE':
    case 'ENFILE':
      return `too many files are open (${code}). Raise the limit of open files (ulimit -n, LimitNOFILE).`;
    default:
      return `the system refuses it (${code}). Choose another address or port.`;
  }
}

function accessReason(port: number, code: string): string {
  if (port >= firstUnprivilegedPort) {
    return `the system's security policy forbids it (${code}). Allow it there or choose another port.`;
  }
  const needs = `ports below ${firstUnprivilegedPort} need root or the capability CAP_NET_BIND_SERVICE`;
  return `${needs} (${code}). Grant it, or choose a port from ${firstUnprivilegedPort} on.`;
}

function familyName({ family }: ListenAddress): string {
  return family === 'ipv4' ? 'IPv4' : 'IPv6';
}
