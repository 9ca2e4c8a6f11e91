// Sends bytes that no HTTP client would send, over TCP or TLS, and reads what comes back until the other side
// ends the connection or the time is up. The replies are taken apart by hand, because part of the test is
// that what comes back is correct HTTP.

import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';

import type { Place } from './client.ts';
import { makeReply, type Reply } from './reply.ts';

export type Conversation = {
  readonly replies: readonly Reply[];
  /** What came, whole. */
  readonly bytes: Buffer;
  /** Whether the other side ended the connection before the time was up. */
  readonly isClosed: boolean;
};

export type RawOptions = {
  readonly via?: 'http' | 'https' | 'control';
  /** How long it may be silent after it has said something. */
  readonly maxMs?: number;
  /** How long it may take for its first word. */
  readonly firstMaxMs?: number;
  /** Leaves as soon as this many replies have come. */
  readonly replies?: number;
  /** Whether something must come back; else `maxMs` is all the time there is. */
  readonly waitsForReply?: boolean;
};

/** Below the time after which an idle connection is closed anyhow. */
const usualMaxMs = 4_500;
/** A machine that has other things to do may take long for its first word. */
const usualFirstMaxMs = 60_000;
const lastLookMs = 200;

/** Pieces are sent one after the other as packets of their own. */
export const sendRaw = async (
  place: Place,
  pieces: readonly (string | Buffer)[],
  {
    via = 'http',
    maxMs = usualMaxMs,
    firstMaxMs = usualFirstMaxMs,
    replies = Infinity,
    waitsForReply = true,
  }: RawOptions = {},
): Promise<Conversation> => {
  const socket = openSocket(place, via);
  const chunks: Buffer[] = [];
  const done = Promise.withResolvers<boolean>();
  // After a stall of this process the end of the connection may lie in the queue behind the timer.
  const giveUp = (): void => void setTimeout(() => done.resolve(false), lastLookMs);
  let timer = setTimeout(giveUp, waitsForReply ? firstMaxMs : maxMs);
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    clearTimeout(timer);
    timer = setTimeout(giveUp, maxMs);
    if (replies !== Infinity && takeApart(Buffer.concat(chunks)).length >= replies) done.resolve(false);
  });
  socket.on('end', () => done.resolve(true));
  socket.on('close', () => done.resolve(true));
  socket.on('error', () => done.resolve(true));
  for (const piece of pieces) await write(socket, piece);
  const isClosed = await done.promise;
  clearTimeout(timer);
  socket.destroy();
  const bytes = Buffer.concat(chunks);
  return { replies: takeApart(bytes), bytes, isClosed };
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

/** Latin-1 for texts: one character is one byte. Gone connections are found by whoever reads. */
const write = (socket: Socket, piece: string | Buffer): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece, () => resolve());
  return promise;
};

/** All whole replies in a stream of bytes. The service itself gives a Content-Length with every body. */
const takeApart = (bytes: Buffer): Reply[] => {
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

/** Chunks come only from Node itself, with no content; they are taken as they are. */
const bodyLength = (headers: Readonly<Record<string, string>>, rest: Buffer): number => {
  if (headers['transfer-encoding'] === undefined) return Number(headers['content-length'] ?? 0);
  const last = rest.indexOf('0\r\n\r\n');
  return last < 0 ? Infinity : last + 5;
};
