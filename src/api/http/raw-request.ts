// What requests over HTTP/1.1 and HTTP/2 need before and after the framework processes them: a known method,
// a Content-Type that shows whether there is a body, an end for unread bodies, and a signal for disconnects.

import { METHODS, type IncomingMessage, type ServerResponse } from 'node:http';
import { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Duplex } from 'node:stream';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

const knownMethods = new Set(METHODS);

/** HTTP/2 allows any method; one that the router does not know is replaced by one that no path has. */
export function withKnownMethods(handle: RequestHandler): RequestHandler {
  return (request, response) => {
    if (!knownMethods.has(request.method ?? '')) request.method = 'TRACE';
    handle(request, response);
  };
}

/** The framework decides by Content-Type whether to read a body; we ignore its value. */
export function setContentType(raw: IncomingMessage): void {
  if (hasBody(raw)) raw.headers['content-type'] = 'application/json';
  else if (raw.headers['content-type'] !== undefined) delete raw.headers['content-type'];
}

function hasBody(raw: IncomingMessage | Http2ServerRequest): boolean {
  if (raw instanceof Http2ServerRequest) return !raw.stream.endAfterHeaders;
  const { 'content-length': length = '0', 'transfer-encoding': coding } = raw.headers;
  return coding !== undefined || length !== '0';
}

const lingerMs = 2_000;

/**
 * Writes the whole reply, but ends it only after the request. Ending it closes the connection, and a client
 * that is still sending would lose the reply (RFC 9112 section 9.6). The rest of the request is discarded; a
 * client that has not finished after `lingerMs` is disconnected.
 */
export function endAfterRequest(
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse,
  payload: Uint8Array | string | undefined,
): void {
  if (payload !== undefined) response.write(payload);
  const timer = setTimeout(() => {
    response.end();
    if (request instanceof Http2ServerRequest) request.stream.close();
    else request.socket.destroySoon();
  }, lingerMs).unref();
  request.once('end', () => {
    clearTimeout(timer);
    response.end();
  });
  request.resume();
}

/**
 * The same for a connection without a request that could be read: closing it while the client still sends
 * would reset it, and the client would lose the reply.
 */
export function endAfterInput(socket: Duplex, reply: string): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroy());
  socket.end(reply);
}

/** Whether a reply was already sent, or the client has disconnected; over HTTP/2 writing would then throw. */
export function cannotReply(raw: ServerResponse | Http2ServerResponse): boolean {
  return raw.headersSent || (raw instanceof Http2ServerResponse && raw.stream.destroyed);
}

/** Aborted when the client disconnects before the reply is complete. */
export function goneSignal(raw: ServerResponse | Http2ServerResponse): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => raw.writableFinished || controller.abort());
  return controller.signal;
}
