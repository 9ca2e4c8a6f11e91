// The HTTP servers of the api thread, one for each listening socket of the supervisor. `update` starts a
// server for each new socket, and closes the servers of removed sockets while their connections finish.

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
  type ClosedListener,
  type Libc,
  type Listener,
  type Listening,
  type OpenListener,
  type UnixListener,
} from '#platform/sockets';
import type { TlsMaterial } from '#platform/tls';
import { SerialQueue } from '#platform/tasks';

export interface WebServersOptions {
  readonly libc: Libc | undefined;
  /** Called for each HTTPS socket; undefined leaves it closed. */
  readonly material: () => Promise<TlsMaterial | undefined>;
  /** Which connections over the network may stay. */
  readonly admit: Admission;
  /** Called for every copy of a listening descriptor that a server uses. */
  readonly onAttached: (listener: Listener, copy: number) => void;
  /** Adds what is known of closed addresses. */
  readonly explain?: (listening: Listening) => Listening;
}

export class WebServers {
  readonly #options: WebServersOptions;
  readonly #servers = new Map<string, Server | Http2SecureServer>();
  readonly #connections = new Connections();
  readonly #controlSockets = new WeakSet<object>();
  /** HTTPS sockets without a certificate. */
  readonly #withoutCertificate = new Set<string>();
  #listening: Listening = { open: [], closed: [], dns: [], replaced: [] };
  readonly #updates = new SerialQueue();
  #handle: RequestHandler = (_request, response) => {
    const { status, headers, payload } = toReply(fail('unavailable', 'The service is starting.'), 0, []);
    response.writeHead(status, headers).end(payload);
  };

  constructor(options: WebServersOptions) {
    this.#options = options;
  }

  /** Call before the first socket is served. */
  serveWith(handle: RequestHandler): void {
    this.#handle = handle;
  }

  /** An HTTPS socket without a certificate counts as closed. */
  get listening(): Listening {
    const { open, closed, ...others } = this.#listening;
    const isServed = (one: OpenListener): boolean => !this.#withoutCertificate.has(keyOf(one));
    const unserved = open.filter((one) => !isServed(one)).map(withoutCertificate);
    return { ...others, open: open.filter(isServed), closed: [...closed, ...unserved] };
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
    // Only the administrator reaches it, so it has no limit on connections.
    const server = createHttpServer(this.#handle, () => true);
    server.on('connection', (socket) => this.#controlSockets.add(socket));
    await this.#serve('control', server, listener);
  }

  /** Updates run one after the other: two at once could start two servers on one socket. */
  update(listening: Listening): Promise<void> {
    this.#listening = this.#options.explain?.(listening) ?? listening;
    return this.#updates.run(() => this.#update(listening));
  }

  async #update(listening: Listening): Promise<void> {
    const wanted = new Map(listening.open.map((open) => [keyOf(open), open]));
    for (const key of this.#servers.keys()) if (key !== 'control' && !wanted.has(key)) this.#closeServer(key);
    for (const [key, open] of wanted) if (!this.#servers.has(key)) await this.#add(key, open);
  }

  /**
   * Closes the servers whose port moves to another address, so that the supervisor can bind it.
   */
  release(setting: string, text: string): void {
    const parsed = parseListenAddresses(text);
    if (!parsed.ok) return;
    for (const open of this.#listening.open) {
      const { address, port } = open.listener;
      const moves = parsed.addresses.some((wanted) => wanted.port === port && wanted.host !== address);
      if (open.setting === setting && moves) this.#closeServer(keyOf(open));
    }
  }

  setCertificate(material: TlsMaterial): void {
    for (const server of this.#servers.values()) {
      if ('setSecureContext' in server) server.setSecureContext({ key: material.key, cert: material.cert });
    }
  }

  /** With false, a request may wait for its reply without a time limit. */
  cutIdle(isCut: boolean): void {
    this.#connections.cutIdle(isCut);
  }

  /** New connections wait in the queues of the sockets; open connections stay, also idle ones. */
  stopAccepting(): void {
    for (const server of this.#servers.values()) NetServer.prototype.close.call(server);
  }

  /** Accepts no new connections and requests. */
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
    const certificate = await this.#options.material();
    if (certificate === undefined) {
      this.#withoutCertificate.add(key);
      return undefined;
    }
    this.#withoutCertificate.delete(key);
    const material = { key: certificate.key, cert: certificate.cert };
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

  #closeServer(key: string): void {
    const server = this.#servers.get(key);
    this.#servers.delete(key);
    server?.close();
    if (server !== undefined && 'closeIdleConnections' in server) server.closeIdleConnections();
  }
}

function withoutCertificate({ setting, listener }: OpenListener): ClosedListener {
  const { address, port } = listener;
  const where = `${address} port ${port}`;
  const problem = `${setting}: ${where} is not served, because there is no certificate. The log says why.`;
  const place = { setting, address, port, wanted: where, where, kinds: ['tcp'] as const };
  return { ...place, code: '', reason: problem, problem };
}

function keyOf({ setting, listener }: OpenListener): string {
  return `${setting} ${listener.address} ${listener.port} ${listener.fd ?? 'plain'}`;
}
