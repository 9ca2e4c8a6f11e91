// Limits the connections to all web servers in total and per client, so that one client cannot lock out the
// others with idle connections. A client is an IPv4 address or an IPv6 /64, because a host with one address
// of a /64 can use all of them. A trusted proxy serves many clients, so only the total limit applies to it.

import type { Socket } from 'node:net';
import { ipBytes, ipv4Text, isMappedIpv4, u16 } from '#wire';

export interface ConnectionLimiterOptions {
  readonly connections: number;
  readonly perClient: number;
  readonly isTrustedProxy: (address: string) => boolean;
  /** Called with the reason for each refused connection. */
  readonly onRefused: (problem: string) => void;
}

/** Whether to accept a connection. */
export type Admission = (socket: Socket) => boolean;

export class ConnectionLimiter {
  readonly #options: ConnectionLimiterOptions;
  readonly #clients = new Map<string, number>();
  #taken = 0;

  constructor(options: ConnectionLimiterOptions) {
    this.#options = options;
  }

  /** False when a limit is reached. An accepted connection counts until it closes. */
  readonly admit: Admission = (socket) => {
    const address = socket.remoteAddress;
    // The client has already disconnected.
    if (address === undefined) return false;
    const client = clientOf(address);
    const problem = this.#problem(address, client);
    if (problem !== undefined) {
      this.#options.onRefused(problem);
      return false;
    }
    this.#count(client, 1);
    socket.once('close', () => this.#count(client, -1));
    return true;
  };

  #problem(address: string, client: string): string | undefined {
    const { connections, perClient, isTrustedProxy } = this.#options;
    if (this.#taken >= connections)
      return `all ${connections} are taken. More descriptors (LimitNOFILE, ulimit -n) may allow more.`;
    if ((this.#clients.get(client) ?? 0) < perClient || isTrustedProxy(address)) return undefined;
    return (
      `${address} has ${perClient} open, as many as one client may have. ` +
      'If it is a reverse proxy, name it in web.trustedProxies.'
    );
  }

  #count(client: string, by: 1 | -1): void {
    this.#taken += by;
    const left = (this.#clients.get(client) ?? 0) + by;
    if (left === 0) this.#clients.delete(client);
    else this.#clients.set(client, left);
  }
}

/** For IPv6, the first four groups of the address. */
export function clientOf(address: string): string {
  const bytes = ipBytes(address);
  if (bytes === undefined || bytes.length === 4) return address;
  if (isMappedIpv4(bytes, 0)) return ipv4Text(bytes, 12);
  return [0, 2, 4, 6].map((at) => u16(bytes, at).toString(16)).join(':');
}
