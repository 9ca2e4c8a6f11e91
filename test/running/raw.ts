// Sends bytes that no HTTP client would send, over TCP or TLS, and reads the replies until the service closes
// the connection or a timeout expires. It parses the replies without Node's HTTP parser, because tests also
// check that they are correct HTTP.

import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';

import type { Place } from './client.ts';
import { makeReply, type Reply } from './reply.ts';

export type Conversation = {
  readonly replies: readonly Reply[];
  /** All bytes received. */
  readonly bytes: Buffer;
  /** Whether the service closed the connection before the timeout. */
  readonly isClosed: boolean;
};

export type RawOptions = {
  readonly via?: 'http' | 'https' | 'control';
  /** How long to wait for more bytes after some have come. */
  readonly maxMs?: number;
  /** How long to wait for the first byte. */
  readonly maxFirstMs?: number;
  /** Closes the connection as soon as this many replies have come. */
  readonly replies?: number;
  /** Whether a reply is expected; if not, `maxMs` is the only timeout. */
  readonly waitsForReply?: boolean;
};

/** Less than the time after which the service closes an idle connection anyway. */
const usualMs = 4_500;
/** A busy machine may need long for the first byte. */
const usualFirstMs = 60_000;
const lastLookMs = 200;

/** Sends each piece as a separate packet. */
export const sendRaw = async (
  place: Place,
  pieces: readonly (string | Buffer)[],
  {
    via = 'http',
    maxMs = usualMs,
    maxFirstMs = usualFirstMs,
    replies = Infinity,
    waitsForReply = true,
  }: RawOptions = {},
): Promise<Conversation> => {
  const socket = openSocket(place, via);
  const chunks: Buffer[] = [];
  const done = Promise.withResolvers<boolean>();
  // After a stall of this process the close event may be queued behind the timer.
  const giveUp = (): void => void setTimeout(() => done.resolve(false), lastLookMs);
  let timer = setTimeout(giveUp, waitsForReply ? maxFirstMs : maxMs);
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    clearTimeout(timer);
    timer = setTimeout(giveUp, maxMs);
    if (replies !== Infinity && parseReplies(Buffer.concat(chunks)).length >= replies) done.resolve(false);
  });
  socket.on('end', () => done.resolve(true));
  socket.on('close', () => done.resolve(true));
  socket.on('error', () => done.resolve(true));
  for (const piece of pieces) await write(socket, piece);
  const isClosed = await done.promise;
  clearTimeout(timer);
  socket.destroy();
  const bytes = Buffer.concat(chunks);
  return { replies: parseReplies(bytes), bytes, isClosed };
};

export const openSocket = (place: Place, via: 'http' | 'https' | 'control'): Socket => {
  if (via === 'control') return connectPlain(place.controlPath).setNoDelay(true);
  if (via === 'http') return connectPlain(place.httpPort, '127.0.0.1').setNoDelay(true);
  return connectSecure({
    host: '127.0.0.1',
    port: place.httpsPort,
    servername: 'localhost',
    ...(place.ca === undefined ? { rejectUnauthorized: false } : { ca: place.ca }),
    ALPNProtocols: ['http/1.1'],
  });
};

/** Texts are sent as Latin-1: one character is one byte. A closed connection is noticed by the read side. */
const write = (socket: Socket, piece: string | Buffer): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece, () => resolve());
  return promise;
};

/** All complete replies in a stream of bytes. The service sends a Content-Length with every body. */
const parseReplies = (bytes: Buffer): Reply[] => {
  const replies: Reply[] = [];
  let rest = bytes;
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) return replies;
    const [first = '', ...lines] = rest.subarray(0, headEnd).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(lines.map(splitHeader));
    const bodyStart = headEnd + 4;
    const bodyEnd = bodyStart + bodyLength(headers, rest.subarray(bodyStart));
    if (rest.length < bodyEnd) return replies;
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0);
    replies.push(makeReply(status, headers, rest.subarray(bodyStart, bodyEnd)));
    rest = rest.subarray(bodyEnd);
  }
};

const splitHeader = (line: string): readonly [string, string] => {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
};

/** Only Node itself sends chunked replies, and those are empty: the raw chunks count as the body. */
const bodyLength = (headers: Readonly<Record<string, string>>, rest: Buffer): number => {
  if (headers['transfer-encoding'] === undefined) return Number(headers['content-length'] ?? 0);
  const last = rest.indexOf('0\r\n\r\n');
  return last < 0 ? Infinity : last + 5;
};
