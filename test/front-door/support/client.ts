// An HTTP client with persistent connections and a chosen source address: loopback has many addresses, so one
// machine can act as several clients. It sends thousands of requests over a few connections, over HTTP/1.1,
// TLS, HTTP/2 or the control socket, and returns every reply unchecked.

import type { ClientRequest, IncomingMessage } from 'node:http';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { Agent as SecureAgent, request as requestSecure } from 'node:https';
import { connect as connectTls } from 'node:tls';

import type { Place, Via } from '../../running/client.ts';
import { Agent, request as requestPlain } from '../../running/http.ts';
import { makeReply, type Reply } from '../../running/reply.ts';

type Content = {
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Client = {
  readonly send: (method: string, path: string, content?: Content) => Promise<Reply>;
};

export type ClientOptions = {
  readonly via?: Via;
  /** The source address. */
  readonly from?: string;
  /** The destination address. */
  readonly to?: string;
  /** Sent with every request; headers of the request take precedence. */
  readonly headers?: Readonly<Record<string, string>>;
};

type Sent = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer | undefined;
};

const maxMs = 30_000;
/**
 * The client closes an idle connection long before the service would, after 5 s. Otherwise a request could
 * be sent on a connection that the service is just closing.
 */
const connections = { keepAlive: true, maxSockets: 16, timeout: 1_000 };
/** A name in the service's certificate. */
const servername = 'localhost';

export const openClient = (place: Place, options: ClientOptions = {}): Client => {
  const transport = transportTo(place, options);
  return {
    send: (method, path, { body, headers = {} } = {}) =>
      transport({ method, path, headers: { ...options.headers, ...headers }, bytes: toBytes(body) }),
  };
};

const toBytes = (body: unknown): Buffer | undefined => {
  if (body === undefined) return undefined;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
};

type Transport = (sent: Sent) => Promise<Reply>;

const transportTo = (place: Place, { via = 'http', from, to = '127.0.0.1' }: ClientOptions): Transport => {
  if (via === 'h2') return overHttp2(place, from);
  const where =
    via === 'control'
      ? { socketPath: place.controlPath }
      : { host: to, ...(from === undefined ? {} : { localAddress: from }) };
  if (via === 'https') {
    const agent = new SecureAgent(connections);
    const secure = { ...where, agent, port: place.httpsPort, ca: place.ca, servername };
    return (sent) => exchange(requestSecure({ ...secure, ...requestOptions(sent) }), sent.bytes);
  }
  const agent = new Agent(connections);
  const plain = via === 'control' ? { ...where, agent } : { ...where, agent, port: place.httpPort };
  return (sent) => exchange(requestPlain({ ...plain, ...requestOptions(sent) }), sent.bytes);
};

const requestOptions = ({ method, path, headers, bytes }: Sent) => ({
  method,
  path,
  headers: { ...headers, ...(bytes === undefined ? {} : { 'content-length': String(bytes.length) }) },
  signal: AbortSignal.timeout(maxMs),
});

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
  outgoing.end(bytes);
  return promise;
};

const overHttp2 = (place: Place, from: string | undefined): Transport => {
  let session: ClientHttp2Session | undefined;
  return (sent) => {
    if (session === undefined || session.closed || session.destroyed) session = openSession(place, from);
    return exchangeHttp2(session, `127.0.0.1:${place.httpsPort}`, sent);
  };
};

const openSession = (place: Place, from: string | undefined): ClientHttp2Session => {
  const session = connectHttp2(`https://127.0.0.1:${place.httpsPort}`, {
    createConnection: () =>
      connectTls({
        host: '127.0.0.1',
        port: place.httpsPort,
        servername,
        ALPNProtocols: ['h2'],
        ...(place.ca === undefined ? { rejectUnauthorized: false } : { ca: place.ca }),
        ...(from === undefined ? {} : { localAddress: from }),
      }),
  });
  // The streams of the session report the error.
  session.on('error', () => undefined);
  session.once('connect', () => session.unref());
  return session;
};

const exchangeHttp2 = (session: ClientHttp2Session, authority: string, sent: Sent): Promise<Reply> => {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const { method, path, headers, bytes } = sent;
  const stream = session.request(
    { ':method': method, ':path': path, ':authority': authority, ...headers },
    { endStream: bytes === undefined, signal: AbortSignal.timeout(maxMs) },
  );
  const chunks: Buffer[] = [];
  // An open stream keeps this process alive, although the session is unref'ed.
  const alive = setInterval(() => undefined, maxMs);
  stream.on('response', ({ ':status': status = 0, ...rest }) => {
    const fields = Object.entries(rest).map(([name, value]) => [name, String(value)] as const);
    stream.on('end', () => resolve(makeReply(status, Object.fromEntries(fields), Buffer.concat(chunks))));
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', reject);
  stream.on('close', () => {
    clearInterval(alive);
    reject(new Error(`The HTTP/2 stream ended with code ${stream.rstCode}.`));
  });
  if (bytes !== undefined) stream.end(bytes);
  return promise;
};
