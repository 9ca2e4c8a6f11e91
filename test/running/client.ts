// HTTP clients for tests: HTTP/1.1 over TCP, TLS and the control socket, and HTTP/2. They share no code with
// the service's client or contract, send requests byte for byte as given, as far as Node permits, and return
// the reply unchecked. Every call uses a new connection, so that one request cannot affect the next, and has
// a timeout.

import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { request as requestSecure } from 'node:https';

import { request as requestPlain } from './http.ts';
import { makeReply, type Reply } from './reply.ts';

export type Via = 'http' | 'https' | 'h2' | 'control';

/** The addresses of a service. */
export type Place = {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly controlPath: string;
  /** The CA that must have issued the service's certificate. */
  readonly ca: Buffer | undefined;
};

export type CallOptions = {
  /** A text or bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly via?: Via;
  readonly maxMs?: number;
};

const usualMs = 30_000;
/** A name in the service's certificate; the connection itself goes to 127.0.0.1. */
const serverName = 'localhost';

export const call = (
  place: Place,
  method: string,
  path: string,
  { body, headers = {}, via = 'http', maxMs = usualMs }: CallOptions = {},
): Promise<Reply> => {
  const bytes = toBytes(body);
  const signal = AbortSignal.timeout(maxMs);
  if (via === 'h2') return callHttp2(place, { method, path, headers, bytes, signal });
  const options = {
    ...connectionTo(place, via),
    method,
    path,
    headers: { ...headers },
    agent: false,
    signal,
  };
  const secure = { ...options, ca: place.ca, servername: serverName };
  return exchange(via === 'https' ? requestSecure(secure) : requestPlain(options), bytes);
};

const toBytes = (body: unknown): Buffer | undefined => {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
};

const connectionTo = (place: Place, via: 'http' | 'https' | 'control'): RequestOptions => {
  if (via === 'control') return { socketPath: place.controlPath };
  return { host: '127.0.0.1', port: via === 'http' ? place.httpPort : place.httpsPort };
};

const exchange = (outgoing: ClientRequest, bytes: Buffer | undefined): Promise<Reply> => {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  outgoing.on('response', (incoming: IncomingMessage) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', reject);
    incoming.on('end', () =>
      resolve(makeReply(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks))),
    );
  });
  outgoing.on('error', reject);
  if (bytes !== undefined && !outgoing.hasHeader('transfer-encoding'))
    outgoing.setHeader('content-length', outgoing.getHeader('content-length') ?? bytes.length);
  outgoing.end(bytes);
  return promise;
};

/** An HTTP/2 session that trusts the service's CA. */
export const openHttp2 = async (place: Place): Promise<ClientHttp2Session> => {
  const session = connectHttp2(`https://127.0.0.1:${place.httpsPort}`, {
    ...(place.ca === undefined ? { rejectUnauthorized: false } : { ca: place.ca }),
    servername: serverName,
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  session.once('connect', () => resolve());
  session.once('error', reject);
  await promise;
  session.off('error', reject);
  session.on('error', () => undefined);
  return session;
};

type Http2Call = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer | undefined;
  readonly signal: AbortSignal;
};

/** The header `host` becomes `:authority`, which is what HTTP/2 clients send (RFC 9113 section 8.3.1). */
const callHttp2 = async (
  place: Place,
  { method, path, headers, bytes, signal }: Http2Call,
): Promise<Reply> => {
  const { host = `127.0.0.1:${place.httpsPort}`, ...others } = headers;
  const session = await openHttp2(place);
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const stream = session.request(
    { ':method': method, ':path': path, ':authority': host, ...others },
    { endStream: bytes === undefined, signal },
  );
  const chunks: Buffer[] = [];
  stream.on('response', ({ ':status': status = 0, ...rest }) => {
    const fields = Object.entries(rest).map(([name, value]) => [name, String(value)] as const);
    stream.on('end', () => resolve(makeReply(status, Object.fromEntries(fields), Buffer.concat(chunks))));
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', reject);
  stream.on('close', () => reject(new Error(`The HTTP/2 stream ended with code ${stream.rstCode}.`)));
  if (bytes !== undefined) stream.end(bytes);
  try {
    return await promise;
  } finally {
    session.destroy();
  }
};
