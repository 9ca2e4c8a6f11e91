// What the two kinds of requests, HTTP/1.1 and HTTP/2, need before and after the framework sees them: methods
// that it knows, a Content-Type that tells it the truth about the body, and an end for bodies that nobody
// will read.

import { METHODS, type IncomingMessage, type ServerResponse } from 'node:http';
import { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { RequestHandler } from './servers.ts';

const knownMethods = new Set(METHODS);

/** Over HTTP/2 a method may be any word; one that the router does not know becomes one that no path has. */
export const withKnownMethods =
  (handle: RequestHandler): RequestHandler =>
  (request, response) => {
    if (!knownMethods.has(request.method ?? '')) request.method = 'TRACE';
    handle(request, response);
  };

/** The framework sees by Content-Type whether there is a body that it may read; to us it says nothing. */
export const setContentType = (raw: IncomingMessage): void => {
  if (hasBody(raw)) raw.headers['content-type'] = 'application/json';
  else if (raw.headers['content-type'] !== undefined) delete raw.headers['content-type'];
};

const hasBody = (raw: IncomingMessage | Http2ServerRequest): boolean => {
  if (raw instanceof Http2ServerRequest) return !raw.stream.endAfterHeaders;
  const { 'content-length': length = '0', 'transfer-encoding': coding } = raw.headers;
  return coding !== undefined || length !== '0';
};

const lingerMs = 2_000;

/**
 * Writes the whole reply, but ends it later: with the end Node closes the connection, and whoever still
 * sends would lose the reply with it (RFC 9112 section 9.6). What comes is thrown away for a moment, and only
 * who has not finished by then is cut.
 */
export const endLater = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse,
  payload: Uint8Array | string | undefined,
): void => {
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
};

/** Whoever asked has left meanwhile; over HTTP/2 even trying to answer would throw. */
export const isGone = (raw: ServerResponse | Http2ServerResponse): boolean =>
  raw.headersSent || (raw instanceof Http2ServerResponse && raw.stream.destroyed);

/** Aborted when the reply can reach nobody any more. */
export const goneSignal = (raw: ServerResponse | Http2ServerResponse): AbortSignal => {
  const controller = new AbortController();
  raw.once('close', () => raw.writableFinished || controller.abort());
  return controller.signal;
};
