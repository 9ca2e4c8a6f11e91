// Why an address could not be bound, as a message for the operator: what happened, where, and what to do. One
// table for the listeners with and without libc, because node:net reports the same codes.

import { formatListenAddress, type ListenAddress } from '#contract';
import type { PortHolder } from './port-holder.ts';

const firstUnprivilegedPort = 1024;

export function bindProblem(setting: string, address: ListenAddress, code: string): string {
  return cannotListen(setting, formatListenAddress(address), bindReason(address, code));
}

/** `where` is one address or several. */
export function cannotListen(setting: string, where: string, reason: string): string {
  return `${setting}: cannot listen on ${where}: ${reason}`;
}

/** The codes for `::` when IPv6 is not built in, or disabled. */
export function meansIpv6Missing(code: string): boolean {
  return code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL';
}

/** The second half of the message. `holder` is the program that has the port, where it could be found. */
export function bindReason(address: ListenAddress, code: string, holder?: PortHolder): string {
  switch (code) {
    case 'EADDRINUSE':
      return takenReason(address, code, holder);
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

function takenReason(address: ListenAddress, code: string, holder: PortHolder | undefined): string {
  const taken = 'the port is taken by another program';
  if (holder === undefined) return `${taken} (${code}). Free it or choose another port.`;
  if (isStubListener(address, holder)) return `${taken}, ${holderText(holder)} (${code}). ${stubRemedy}`;
  if (holder.pid === undefined)
    return (
      `${taken}, ${holderText(holder)} (${code}). ` +
      `\`sudo ss -lptun sport = :${address.port}\` shows which. Free the port or choose another one.`
    );
  if (holder.pid === process.pid)
    return `another setting of this service has the port already (${code}). Choose another port.`;
  return `${taken}, ${holderText(holder)} (${code}). Stop it or choose another port.`;
}

function holderText({ pid, name, user }: PortHolder): string {
  return pid === undefined ? `of the user ${user}` : `${name}, process ${pid}`;
}

const stubRemedy =
  'It is the stub listener of systemd-resolved. Put DNSStubListener=no into /etc/systemd/resolved.conf, ' +
  'then run `sudo systemctl restart systemd-resolved` (docs/operating.md).';
/** The addresses of the stub listener (systemd-resolved.service(8)). */
const stubAddresses = new Set(['127.0.0.53', '127.0.0.54']);
/** Also the name of its user. The kernel cuts names of processes after 15 characters. */
const resolvedName = 'systemd-resolve';

function isStubListener({ host, port }: ListenAddress, { name, user }: PortHolder): boolean {
  if (port !== 53) return false;
  if (name !== undefined) return name.startsWith(resolvedName);
  return user === resolvedName || stubAddresses.has(host);
}

/** `npm ci` replaces the file of Node, and the right is lost with it. */
function accessReason(port: number, code: string): string {
  if (port >= firstUnprivilegedPort) {
    return `the system's security policy forbids it (${code}). Allow it there or choose another port.`;
  }
  return (
    `ports below ${firstUnprivilegedPort} need root or the capability CAP_NET_BIND_SERVICE, which this ` +
    `process does not have (${code}). Run it as the systemd service (docs/operating.md), or run ` +
    `\`sudo setcap cap_net_bind_service=+ep ${process.execPath}\` and start it again, ` +
    `or choose a port from ${firstUnprivilegedPort} on.`
  );
}

function familyName({ family }: ListenAddress): string {
  return family === 'ipv4' ? 'IPv4' : 'IPv6';
}
