// The servers around the one app: HTTP, HTTPS (HTTP/2 and HTTP/1.1) and the control socket. They differ only
// in their transport. All have the same limits on headers, time and connections, reply to malformed HTTP with
// the API's error envelope, and can be closed at once regardless of their clients.

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
import type { Admission } from './connection-limiter.ts';
import { rawFailure } from './envelope.ts';
import { divideByFirstByte, explainTls } from './plain-on-tls.ts';
import { endAfterInput, type RequestHandler } from './raw-request.ts';

export interface KeyAndCertificate {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
}

const times = {
  headersTimeout: limits.headersTimeoutMs,
  requestTimeout: limits.requestTimeoutMs,
  keepAliveTimeout: limits.keepAliveTimeoutMs,
  connectionsCheckingInterval: 1_000,
  // The app refuses a missing or duplicate Host header with the API's error envelope.
  requireHostHeader: false,
  joinDuplicateHeaders: true,
};

export function createHttpServer(handle: RequestHandler, admit: Admission): Server {
  return limited(createServer({ ...times, maxHeaderSize: limits.headerBytes, noDelay: true }, handle), admit);
}

export function createHttpsServer(
  handle: RequestHandler,
  material: KeyAndCertificate,
  admit: Admission,
): Http2SecureServer {
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
  // Requests and replies of the compatibility layer have all members that the app uses.
  const server = limited(explainPlainHttp(createSecureServer(options, handle as never)), admit);
  Object.assign(server, times);
  // A client may keep its connection active with pings; a stream that reads nothing is closed anyway.
  server.on('stream', (stream) => stream.setTimeout(limits.idleSocketTimeoutMs, () => stream.close()));
  server.on('session', (session) => session.setTimeout(limits.idleSocketTimeoutMs, () => session.destroy()));
  return server;
}

function limited<S extends Server | Http2SecureServer>(server: S, admit: Admission): S {
  server.maxConnections = limits.connections;
  admitBeforeServer(server, admit);
  Object.assign(server, { maxHeadersCount: limits.headerCount });
  // Node closes a connection with unsent bytes only when this timer expires the second time.
  server.setTimeout(limits.idleSocketTimeoutMs);
  // Both kinds of server emit these events, but their types have no common declaration of them.
  const emitter: NodeJS.EventEmitter = server;
  emitter.on('clientError', answerClientError);
  // An unknown expectation may be ignored (RFC 9110 section 10.1.1).
  emitter.on('checkExpectation', (request, response) => emitter.emit('request', request, response));
  emitter.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.httpVersionMajor === 1) lastReplies.set(request.socket, response);
  });
  return server;
}

/** Closes a refused connection before the server processes it: no parser, no handshake. */
function admitBeforeServer(server: Server | Http2SecureServer, admit: Admission): void {
  beforeServer(server, (accept) => (socket) => void (admit(socket) ? accept(socket) : socket.destroy()));
}

/** Connections without TLS go to a server that only says so; it does not listen itself. */
function explainPlainHttp(server: Http2SecureServer): Http2SecureServer {
  const plain = createHttpServer(explainTls, () => true);
  return beforeServer(server, (accept) =>
    divideByFirstByte(accept, (socket) => void plain.emit('connection', socket)),
  );
}

type Accept = (socket: Socket) => void;

/** Puts a step before the server's own processing of new connections. */
function beforeServer<S extends Server | Http2SecureServer>(server: S, step: (accept: Accept) => Accept): S {
  const emitter: NodeJS.EventEmitter = server;
  const listeners = emitter.listeners('connection');
  emitter.removeAllListeners('connection');
  emitter.on(
    'connection',
    step((socket) => {
      for (const listener of listeners) Reflect.apply(listener, server, [socket]);
    }),
  );
  return server;
}

/** The newest reply of each connection: an error reply must be written after it. */
const lastReplies = new WeakMap<Duplex, ServerResponse>();

/** Connections with a reply to such input: what else arrives on them is discarded. */
const refused = new WeakSet<Duplex>();

/** Replies to input that could not be parsed as a request. */
function answerClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  // Without a TLS handshake no reply can be sent.
  if (!socket.writable || error.code === 'ECONNRESET' || error.code?.startsWith('ERR_TLS_') === true) {
    socket.destroy();
    return;
  }
  const last = lastReplies.get(socket);
  const answer = (): void => endAfterInput(socket, clientErrorReply(error.code));
  if (last?.req.complete === true && !last.writableFinished) last.once('finish', answer);
  else answer();
}

function clientErrorReply(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return rawFailure('headersTooLarge', `Request line and headers may have ${limits.headerBytes} bytes.`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return rawFailure('requestTimeout', 'The request did not arrive whole in time.');
    default:
      return rawFailure('invalidRequest', `The request could not be read (${code ?? 'unknown reason'}).`);
  }
}

/** Tracks the open connections of servers, so that all can be closed. */
export class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #streams = new Set<ServerHttp2Stream>();

  track(server: Server | Http2SecureServer): void {
    const emitter: NodeJS.EventEmitter = server;
    emitter.on('connection', (socket: Socket) => addUntilClosed(this.#sockets, socket));
    emitter.on('session', (session: ServerHttp2Session) => addUntilClosed(this.#sessions, session));
    emitter.on('stream', (stream: ServerHttp2Stream) => addUntilClosed(this.#streams, stream));
  }

  /** Switches the timeout of idle connections on (the default) or off. */
  cutIdle(isCut: boolean): void {
    const idleMs = isCut ? limits.idleSocketTimeoutMs : 0;
    for (const one of [...this.#sockets, ...this.#sessions, ...this.#streams]) one.setTimeout(idleMs);
  }

  get size(): number {
    return this.#sockets.size;
  }

  /** Sends HTTP/2 clients a GOAWAY frame; HTTP/1.1 connections end with their next reply. */
  drain(): void {
    for (const session of this.#sessions) session.close();
  }

  end(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }
}

function addUntilClosed<T extends NodeJS.EventEmitter>(set: Set<T>, item: T): void {
  set.add(item);
  item.once('close', () => set.delete(item));
}
