// The servers around the one app: HTTP, HTTPS (HTTP/2 and HTTP/1.1) and the control socket. They differ in
// how bytes arrive and in nothing else. Each has the same limits on headers, time and connections, answers
// what is no HTTP with the API's own envelope, and can be ended at once whatever its clients do.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { limits } from '#contract';
import type { Admission } from './connection-places.ts';
import { rawFailure } from './envelope.ts';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface KeyAndCertificate {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
}

const times = {
  headersTimeout: limits.headersTimeoutMs,
  requestTimeout: limits.requestTimeoutMs,
  keepAliveTimeout: limits.keepAliveTimeoutMs,
  connectionsCheckingInterval: 1_000,
  // A host that is missing or named twice is refused by the app, in the API's own envelope.
  requireHostHeader: false,
  joinDuplicateHeaders: true,
};

export const createHttpServer = (handle: RequestHandler, admit: Admission): Server =>
  limited(createServer({ ...times, maxHeaderSize: limits.headerBytes, noDelay: true }, handle), admit);

export const createHttpsServer = (
  handle: RequestHandler,
  material: KeyAndCertificate,
  admit: Admission,
): Http2SecureServer => {
  const options = {
    ...times,
    ...material,
    allowHTTP1: true,
    minVersion: 'TLSv1.2' as const,
    maxHeaderSize: limits.headerBytes,
    maxHeaderListPairs: limits.headerCount,
    handshakeTimeout: limits.headersTimeoutMs,
    settings: {
      maxConcurrentStreams: limits.http2StreamsPerConnection,
      maxHeaderListSize: limits.headerBytes,
    },
  };
  // The compatibility layer gives requests and replies with the same members that the app uses.
  const server = limited(createSecureServer(options, handle as never), admit);
  Object.assign(server, times);
  // A client may keep its connection busy with pings; a stream that takes no byte is cut all the same.
  server.on('stream', (stream) => stream.setTimeout(limits.idleSocketTimeoutMs, () => stream.close()));
  server.on('session', (session) => session.setTimeout(limits.idleSocketTimeoutMs, () => session.destroy()));
  return server;
};

const limited = <S extends Server | Http2SecureServer>(server: S, admit: Admission): S => {
  server.maxConnections = limits.connections;
  admitFirst(server, admit);
  Object.assign(server, { maxHeadersCount: limits.headerCount });
  // Node lets a connection with bytes to write pass this timer once before it cuts it.
  server.setTimeout(limits.idleSocketTimeoutMs);
  // Both kinds of server emit these; their types differ in what else they emit.
  const emitter: NodeJS.EventEmitter = server;
  emitter.on('clientError', answerClientError);
  // An expectation that we do not know may be passed over (RFC 9110 section 10.1.1).
  emitter.on('checkExpectation', (request, response) => emitter.emit('request', request, response));
  emitter.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.httpVersionMajor === 1) lastReplies.set(request.socket, response);
  });
  return server;
};

/** A connection that may not stay is closed before the server takes it up: no parser, no handshake. */
const admitFirst = (server: Server | Http2SecureServer, admit: Admission): void => {
  const emitter: NodeJS.EventEmitter = server;
  const takers = emitter.listeners('connection');
  emitter.removeAllListeners('connection');
  emitter.on('connection', (socket: Socket) => {
    if (!admit(socket)) socket.destroy();
    else for (const take of takers) Reflect.apply(take, server, [socket]);
  });
};

/** The newest reply of each connection: what is written past it would come out of turn. */
const lastReplies = new WeakMap<Duplex, ServerResponse>();

/** What arrived is no request; whoever sent it still gets to know why. */
const answerClientError = (error: Error & { code?: string }, socket: Duplex): void => {
  // Without a handshake there is nobody to tell.
  if (!socket.writable || error.code === 'ECONNRESET' || error.code?.startsWith('ERR_TLS_') === true) {
    socket.destroy();
    return;
  }
  const last = lastReplies.get(socket);
  const answer = (): void => void socket.end(clientErrorReply(error.code), () => socket.destroy());
  if (last?.req.complete === true && !last.writableFinished) last.once('finish', answer);
  else answer();
};

const clientErrorReply = (code: string | undefined): string => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return rawFailure('headersTooLarge', `Request line and headers may have ${limits.headerBytes} bytes.`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return rawFailure('requestTimeout', 'The request did not arrive whole in time.');
    default:
      return rawFailure('invalidRequest', `The request could not be read (${code ?? 'unknown reason'}).`);
  }
};

/** Knows the open connections of servers, so that all can be ended. */
export class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #streams = new Set<ServerHttp2Stream>();

  follow(server: Server | Http2SecureServer): void {
    const emitter: NodeJS.EventEmitter = server;
    emitter.on('connection', (socket: Socket) => remember(this.#sockets, socket));
    emitter.on('session', (session: ServerHttp2Session) => remember(this.#sessions, session));
    emitter.on('stream', (stream: ServerHttp2Stream) => remember(this.#streams, stream));
  }

  /** Whether connections over which nothing comes and goes are cut after a while, as is usual. */
  cutIdle(isCut: boolean): void {
    const idleMs = isCut ? limits.idleSocketTimeoutMs : 0;
    for (const one of [...this.#sockets, ...this.#sessions, ...this.#streams]) one.setTimeout(idleMs);
  }

  get size(): number {
    return this.#sockets.size;
  }

  /**
   * Tells HTTP/2 clients that no further requests are taken; HTTP/1.1 clients hear it with their next reply.
   */
  drain(): void {
    for (const session of this.#sessions) session.close();
  }

  end(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }
}

const remember = <T extends NodeJS.EventEmitter>(set: Set<T>, item: T): void => {
  set.add(item);
  item.once('close', () => set.delete(item));
};
