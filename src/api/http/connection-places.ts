// How many connections there may be over all web servers, and of one client: nobody may take the places of
// all others by opening connections and saying nothing. A client is an IPv4 address or an IPv6 /64, for
// whoever has one address of a /64 has them all. Behind a proxy that is trusted is a whole household, so it
// counts for the sum only.

import type { Socket } from 'node:net';

export interface ConnectionPlacesOptions {
  readonly connections: number;
  readonly perClient: number;
  readonly isTrustedProxy: (address: string) => boolean;
  /** Told why, each time. */
  readonly onRefused: (problem: string) => void;
}

/** Whether a connection may stay. */
export type Admission = (socket: Socket) => boolean;

export class ConnectionPlaces {
  readonly #options: ConnectionPlacesOptions;
  readonly #clients = new Map<string, number>();
  #taken = 0;

  constructor(options: ConnectionPlacesOptions) {
    this.#options = options;
  }

  /** False when there is no place for it; a place that was taken is given back when the connection closes. */
  readonly admit: Admission = (socket) => {
    const address = socket.remoteAddress;
    // It was gone before anybody looked at it.
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

/** Of IPv6 in the text that Node gives: the first four groups, with those that `::` stands for. */
export const clientOf = (address: string): string => {
  const mapped = /^::ffff:([\d.]+)$/u.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.replace(/%.*/u, '').split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const between = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...between, ...last].slice(0, 4).join(':');
};
