// The servers of the api thread, one for each listening socket that the supervisor holds. They follow the
// list of open sockets: new ones are served, those that are gone are let go while their connections finish.

import type { IncomingMessage, Server } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import { Server as NetServer } from 'node:net';
import { fail, parseListenAddresses } from '#contract';
import {
  type Admission,
  Connections,
  createHttpServer,
  createHttpsServer,
  type RequestHandler,
  toReply,
} from '#api/http';
import {
  attach,
  type Libc,
  type Listener,
  type Listening,
  type OpenListener,
  type UnixListener,
} from '#platform/sockets';
import type { TlsMaterial } from '#platform/tls';

export interface WebServersOptions {
  readonly libc: Libc | undefined;
  /** Made when the first HTTPS socket is there; a problem leaves HTTPS closed. */
  readonly material: () => Promise<TlsMaterial | undefined>;
  /** Which connections over the network may stay. */
  readonly admit: Admission;
  /** Told of every copy of a listening descriptor that is served on. */
  readonly onAttached: (listener: Listener, copy: number) => void;
}

export class WebServers {
  readonly #options: WebServersOptions;
  readonly #servers = new Map<string, Server | Http2SecureServer>();
  readonly #connections = new Connections();
  readonly #controlSockets = new WeakSet<object>();
  /** Sockets for HTTPS that there is no certificate for. */
  readonly #without = new Set<string>();
  #listening: Listening = { open: [], closed: [], dns: [] };
  #following: Promise<void> = Promise.resolve();
  #handle: RequestHandler = (_request, response) => {
    const { status, headers, payload } = toReply(fail('unavailable', 'The service is starting.'), 0, []);
    response.writeHead(status, headers).end(payload);
  };

  constructor(options: WebServersOptions) {
    this.#options = options;
  }

  /** To be called before the first socket is served on. */
  serveWith(handle: RequestHandler): void {
    this.#handle = handle;
  }

  /** A socket that nothing can be served on, for want of a certificate, counts as closed. */
  get listening(): Listening {
    const { open, closed, dns } = this.#listening;
    const isServed = (one: OpenListener): boolean => !this.#without.has(keyOf(one));
    const unserved = open
      .filter((one) => !isServed(one))
      .map(({ setting, listener }) => ({
        setting,
        address: listener.address,
        port: listener.port,
        problem: 'There is no certificate: the log says why.',
      }));
    return { open: open.filter(isServed), closed: [...closed, ...unserved], dns };
  }

  /** Connections that are open; after `drain` only those with a request under way are left. */
  get busy(): number {
    return this.#connections.size;
  }

  readonly isControlSocket = (request: IncomingMessage): boolean => this.#controlSockets.has(request.socket);

  httpsPort(): number | undefined {
    return this.listening.open.find(({ setting }) => setting === 'web.https')?.listener.port;
  }

  async serveControl(listener: UnixListener): Promise<void> {
    // Only the administrator reaches it, and must do so whatever others do.
    const server = createHttpServer(this.#handle, () => true);
    server.on('connection', (socket) => this.#controlSockets.add(socket));
    await this.#serve('control', server, listener);
  }

  /** One list after the other: a socket that is served twice would be let go once. */
  follow(listening: Listening): Promise<void> {
    this.#listening = listening;
    this.#following = this.#following.then(() => this.#follow(listening));
    return this.#following;
  }

  async #follow(listening: Listening): Promise<void> {
    const wanted = new Map(listening.open.map((open) => [keyOf(open), open]));
    for (const key of this.#servers.keys()) if (key !== 'control' && !wanted.has(key)) this.#letGo(key);
    for (const [key, open] of wanted) if (!this.#servers.has(key)) await this.#add(key, open);
  }

  /**
   * Lets go of sockets whose port the new text wants on another address, so that the supervisor can have it.
   */
  release(setting: string, text: string): void {
    const parsed = parseListenAddresses(text);
    if (!parsed.ok) return;
    for (const open of this.#listening.open) {
      const { address, port } = open.listener;
      const moves = parsed.addresses.some((wanted) => wanted.port === port && wanted.host !== address);
      if (open.setting === setting && moves) this.#letGo(keyOf(open));
    }
  }

  present(material: TlsMaterial): void {
    for (const server of this.#servers.values()) {
      if ('setSecureContext' in server) server.setSecureContext({ key: material.key, cert: material.cert });
    }
  }

  /** With false, requests may wait for their reply for as long as it takes. */
  cutIdle(isCut: boolean): void {
    this.#connections.cutIdle(isCut);
  }

  /** New connections wait in the sockets' queues; those that are open stay so, also where they are idle. */
  stopAccepting(): void {
    for (const server of this.#servers.values()) NetServer.prototype.close.call(server);
  }

  /** No new connections and requests. */
  drain(): void {
    for (const server of this.#servers.values()) server.close();
    for (const server of this.#servers.values())
      if ('closeIdleConnections' in server) server.closeIdleConnections();
    this.#connections.drain();
  }

  end(): void {
    this.#connections.end();
  }

  async #add(key: string, { setting, listener }: OpenListener): Promise<void> {
    const handle = this.#handle;
    const { admit } = this.#options;
    if (setting === 'web.http') return this.#serve(key, createHttpServer(handle, admit), listener);
    const present = await this.#options.material();
    if (present === undefined) {
      this.#without.add(key);
      return undefined;
    }
    this.#without.delete(key);
    const material = { key: present.key, cert: present.cert };
    return this.#serve(key, createHttpsServer(handle, material, admit), listener);
  }

  async #serve(
    key: string,
    server: Server | Http2SecureServer,
    listener: OpenListener['listener'] | UnixListener,
  ) {
    this.#servers.set(key, server);
    this.#connections.track(server);
    const copy = await attach(this.#options.libc, server, listener);
    if (copy !== undefined) this.#options.onAttached(listener, copy);
  }

  #letGo(key: string): void {
    const server = this.#servers.get(key);
    this.#servers.delete(key);
    server?.close();
    if (server !== undefined && 'closeIdleConnections' in server) server.closeIdleConnections();
  }
}

function keyOf({ setting, listener }: OpenListener): string {
  return `${setting} ${listener.address} ${listener.port} ${listener.fd ?? 'plain'}`;
}
