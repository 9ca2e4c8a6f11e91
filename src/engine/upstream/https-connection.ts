// DNS over HTTPS (RFC 8484): each query a POST on one kept HTTP/2 session. The id is 0, as the RFC advises,
// because the stream identifies the reply.

import { MAX_MESSAGE_BYTES } from '#wire';
import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  IncomingHttpHeaders,
  IncomingHttpStatusHeader,
} from 'node:http2';
import type { Attempt, Way } from './exchange.ts';
import type { UpstreamAddress } from './parse-upstream.ts';
import { Fit, fitOf, writeId } from './question-bytes.ts';
import type { SecureSockets } from './secure-sockets.ts';
import { breakAll, type ConnectionParts } from './stream-connection.ts';
import type { Connection } from './upstream-parts.ts';

/** More than questions can be in flight; what the server does not take at once waits in node:http2. */
const maxRequests = 8192;
const idleMs = 30_000;
const stalledMs = 3000;
const mediaType = 'application/dns-message';

export class HttpsConnection implements Connection, Way {
  readonly isUdp = false;
  readonly #upstream: UpstreamAddress;
  readonly #address: string;
  readonly #parts: ConnectionParts;
  readonly #secure: SecureSockets;
  readonly #requests = new Map<Attempt, Request>();
  #session: ClientHttp2Session | undefined;
  isOpen = false;
  #usedMs = 0;
  #unansweredSinceMs = Infinity;

  constructor(upstream: UpstreamAddress, address: string, parts: ConnectionParts, secure: SecureSockets) {
    this.#upstream = upstream;
    this.#address = address;
    this.#parts = parts;
    this.#secure = secure;
  }

  send(attempt: Attempt, nowMs: number): boolean {
    if (this.#requests.size >= maxRequests) return false;
    this.#session ??= this.#open();
    attempt.id = 0;
    writeId(attempt.bytes, 0);
    const stream = this.#request(this.#session, attempt.length);
    if (stream === undefined) return false;
    attempt.way = this;
    this.#requests.set(attempt, new Request(attempt, stream, this.#finish));
    stream.end(attempt.bytes.slice(0, attempt.length));
    this.#usedMs = nowMs;
    this.#unansweredSinceMs = Math.min(this.#unansweredSinceMs, nowMs);
    return true;
  }

  resend(): boolean {
    return false;
  }

  forget(attempt: Attempt): void {
    const request = this.#requests.get(attempt);
    this.#requests.delete(attempt);
    attempt.way = undefined;
    request?.cancel();
  }

  tick(nowMs: number): void {
    if (this.#session === undefined) return;
    if (nowMs - this.#unansweredSinceMs >= stalledMs) this.#lose(this.#session, 'no reply');
    else if (this.isQuiet && nowMs - this.#usedMs >= idleMs) this.#lose(this.#session, 'idle');
  }

  get isQuiet(): boolean {
    return this.#requests.size === 0;
  }

  removeAll(): readonly Attempt[] {
    const lost = [...this.#requests.keys()];
    this.#requests.clear();
    for (const attempt of lost) attempt.way = undefined;
    this.close();
    return lost;
  }

  close(): void {
    if (this.#session !== undefined) this.#lose(this.#session, 'closed');
  }

  /** Undefined when the session has ended and its event has not come yet. */
  #request(session: ClientHttp2Session, length: number): ClientHttp2Stream | undefined {
    try {
      return session.request(this.#headers(length));
    } catch {
      this.#lose(session, 'the session has ended');
      return undefined;
    }
  }

  #headers(length: number): Record<string, string | number> {
    return {
      ':method': 'POST',
      ':path': this.#upstream.path,
      accept: mediaType,
      'content-type': mediaType,
      'content-length': length,
    };
  }

  #open(): ClientHttp2Session {
    const http2 = process.getBuiltinModule('node:http2');
    const { port, tlsName } = this.#upstream;
    const host = tlsName.includes(':') ? `[${tlsName}]` : tlsName;
    this.isOpen = false;
    const createConnection = () =>
      this.#secure.open(this.#upstream, this.#address, 'h2', () => {
        this.isOpen = true;
      });
    const session = http2.connect(`https://${host}:${port}`, { createConnection });
    session.on('error', (error) => this.#lose(session, error.message));
    session.on('goaway', () => this.#lose(session, 'closed by the server'));
    session.on('close', () => this.#lose(session, 'closed'));
    return session;
  }

  #lose(session: ClientHttp2Session, reason: string): void {
    if (this.#session !== session) return;
    const wasOpen = this.isOpen;
    this.#session = undefined;
    this.isOpen = false;
    this.#unansweredSinceMs = Infinity;
    const lost = [...this.#requests.keys()];
    this.#requests.clear();
    session.destroy();
    breakAll(lost, this.#parts, wasOpen, reason);
  }

  /** A request is over; without bytes it failed, and the server was there to say so. */
  readonly #finish = (attempt: Attempt, request: Request, bytes: Uint8Array | undefined): void => {
    if (this.#requests.get(attempt) !== request) return;
    this.#requests.delete(attempt);
    this.#unansweredSinceMs = this.isQuiet ? Infinity : this.#parts.nowMs();
    const fit =
      bytes === undefined ? Fit.none : fitOf(attempt.bytes, attempt.nameEnd, bytes, 0, bytes.length);
    if (bytes === undefined || fit === Fit.none) {
      attempt.isSecondTry = true;
      attempt.way = undefined;
      if (attempt.upstream !== undefined) attempt.upstream.lastError = 'no DNS message in the HTTP reply';
      this.#parts.onBroken(attempt, false);
    } else this.#parts.onReply(attempt, fit, bytes, 0, bytes.length);
    this.#parts.onBatchEnd();
  };
}

type Finish = (attempt: Attempt, request: Request, bytes: Uint8Array | undefined) => void;

class Request {
  readonly #stream: ClientHttp2Stream;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #isAnswer = false;

  constructor(attempt: Attempt, stream: ClientHttp2Stream, finish: Finish) {
    this.#stream = stream;
    stream.on('response', (headers) => {
      this.#isAnswer = isAnswer(headers);
    });
    stream.on('data', (chunk: Uint8Array) => this.#take(chunk));
    stream.on('end', () => finish(attempt, this, this.#message()));
    stream.on('error', () => finish(attempt, this, undefined));
    stream.on('close', () => finish(attempt, this, undefined));
  }

  cancel(): void {
    if (!this.#stream.closed)
      this.#stream.close(process.getBuiltinModule('node:http2').constants.NGHTTP2_CANCEL);
  }

  #take(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (this.#length <= MAX_MESSAGE_BYTES) this.#chunks.push(chunk);
    else this.cancel();
  }

  #message(): Uint8Array | undefined {
    if (!this.#isAnswer || this.#length > MAX_MESSAGE_BYTES) return undefined;
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
  }
}

function isAnswer(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): boolean {
  return headers[':status'] === 200 && headers['content-type']?.split(';')[0]?.trim() === mediaType;
}
