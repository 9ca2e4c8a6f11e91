// Plain HTTP on the HTTPS port: a person who typed `http://` gets a redirect, and a program gets a readable
// 400 in place of a connection that closes. The first byte of a connection decides: a TLS handshake begins
// with 22 (RFC 8446 section 5.1), an HTTP request with a letter. Only reads are redirected: a client that has
// sent a password in the clear should notice.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { fail, limits } from '#contract';
import { type AnyOutcome, type Flowing, toReply } from './envelope.ts';
import { endAfterRequest } from './raw-request.ts';

type Receiver = (socket: Socket) => void;

/** Passes a connection on: plain HTTP to `plain`, everything else to `secure`. */
export function divideByFirstByte(secure: Receiver, plain: Receiver): Receiver {
  return (socket) => {
    const giveUp = (): void => void socket.destroy();
    // The next owner of the socket sets its own.
    socket.on('error', giveUp).setTimeout(limits.headersTimeoutMs, giveUp);
    socket.once('readable', () => {
      const first: unknown = socket.read(1);
      // The client has closed the connection.
      if (!(first instanceof Buffer)) return giveUp();
      socket.unshift(first);
      socket.off('error', giveUp).off('timeout', giveUp).setTimeout(0);
      return isLetter(first[0] ?? 0) ? plain(within(socket, limits.requestTimeoutMs)) : secure(socket);
    });
  };
}

function isLetter(byte: number): boolean {
  return /[A-Za-z]/.test(String.fromCharCode(byte));
}

/** A server that does not listen has no timeouts for requests. */
function within(socket: Socket, maxMs: number): Socket {
  const timer = setTimeout(() => socket.destroy(), maxMs).unref();
  return socket.once('close', () => clearTimeout(timer));
}

/** The handler of such requests. */
export function explainTls(request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, payload = '' } = toReply(explanation(request), 0, []);
  response.writeHead(status, { ...headers, connection: 'close', 'content-length': payload.length });
  endAfterRequest(request, response, payload);
}

/** The port in Host is the one that the client has reached, so it stays. */
export function explanation({ method = '', url = '', headers }: Asked): Exclude<AnyOutcome, Flowing> {
  const host = /^[\w.:[\]-]+$/.exec(headers.host ?? '')?.[0];
  const isRead = method === 'GET' || method === 'HEAD';
  if (host !== undefined && isRead && url.startsWith('/'))
    return { status: 308, headers: { location: `https://${host}${url}` } };
  return fail('plainOnTls', `Use https://${host ?? ''} in place of http://.`);
}

type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;
