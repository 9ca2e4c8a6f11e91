// One request with its reply: its start time, its connection and its caller. The interfaces below list the
// few fields of the framework's objects that are used, so that only app.ts depends on the framework. Replies
// are written here, because the framework would process the headers twice more.

import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { fail } from '#contract';
import { findSessionId } from '../auth/find-session-id.ts';
import type { RequestCredentials } from '../auth/authenticator.ts';
import { databaseReason, storageFailure } from '#store/database';
import type { BodyFailure } from './body.ts';
import type { Caller } from '../auth/caller.ts';
import { type Compressor, chooseCoding, isCompressible } from './compression.ts';
import { conditionalReply } from './conditional.ts';
import { corsHeaders } from './cors.ts';
import {
  type AnyOutcome,
  failureReply,
  type Flowing,
  flowingHead,
  type PlainReply,
  toReply,
} from './envelope.ts';
import { abortReply, writeBody } from './flowing-reply.ts';
import type { Gate } from './gate.ts';
import type { RequestContext } from './handler.ts';
import { endAfterRequest, goneSignal, cannotReply } from './raw-request.ts';
import { canonicalAddress, requestFrom } from './request-from.ts';

/** The fields of the framework's request that are used. */
interface FrameworkRequest {
  readonly raw: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  readonly query: unknown;
  readonly method: string;
  readonly routeOptions: { readonly url?: string | undefined };
  /** The client's address, also behind a trusted proxy. */
  readonly ip: string;
  /** The client's protocol, also behind a trusted proxy. */
  readonly protocol: string;
}

/** The fields of the framework's reply that are used. */
interface FrameworkReply {
  readonly raw: ServerResponse;
  /** After this call the framework leaves the reply to us. */
  readonly hijack: () => unknown;
}

/** Identifies the caller: before the body is read, and again if the body contains a session id. */
interface CallerLookup {
  readonly identify: (request: RequestCredentials) => Caller | 'conflict' | undefined;
  /** Extends the session after a successful reply; returns the cookie to set, if any. */
  readonly touch: (caller: Caller | undefined, isTls: () => boolean) => string | undefined;
}

export interface ExchangeParts {
  /** Read for each request, because a change of settings creates a new gate. */
  readonly gate: () => Gate;
  readonly authenticator: CallerLookup;
  readonly isControlSocket: (request: IncomingMessage) => boolean;
  readonly compressor: Compressor;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  /** Logs the error; returns the id that the reply and the log share. */
  readonly reportBug: (error: unknown, where: string) => string;
}

const none: readonly string[] = [];

export class Exchange {
  readonly request: FrameworkRequest;
  readonly isControlSocket: boolean;
  caller: Caller | 'conflict' | undefined;
  readonly #parts: ExchangeParts;
  readonly #reply: FrameworkReply;
  readonly #startedMs: number;

  constructor(parts: ExchangeParts, request: FrameworkRequest, reply: FrameworkReply) {
    this.#parts = parts;
    this.request = request;
    this.#reply = reply;
    this.#startedMs = parts.nowMs();
    this.isControlSocket = parts.isControlSocket(request.raw);
  }

  identify(bodySid: string | undefined): void {
    this.caller = this.#parts.authenticator.identify({
      isControlSocket: this.isControlSocket,
      headers: this.request.headers,
      querySid: sidOf(this.request.query),
      bodySid,
      address: () => this.#address(),
    });
  }

  context(caller: Caller | undefined, bodySid: string | undefined): RequestContext {
    const { request } = this;
    return {
      caller,
      ifMatch: request.headers['if-match'],
      from: () => requestFrom(request.raw, this.#address(), this.#isTls(), this.#carriesSid(bodySid)),
    };
  }

  gone(): AbortSignal {
    return goneSignal(this.#reply.raw);
  }

  send(outcome: AnyOutcome, ignored: readonly string[] = none): void {
    if ('live' in outcome || 'pushed' in outcome) return this.#sendFlowing(outcome);
    this.#reply.hijack();
    const tookMs = this.#tookMs();
    if ('failure' in outcome)
      return this.#write(failureReply(outcome, tookMs), undefined, outcome.failure === 'bodyTooLarge');
    const plain = toReply(outcome, tookMs, ignored);
    const condition = this.request.headers['if-none-match'];
    const reply = condition === undefined ? plain : conditionalReply(plain, this.request.method, condition);
    return this.isControlSocket || !isCompressible(reply)
      ? this.#write(reply, outcome.cookies)
      : this.#writeLarge(reply, outcome.cookies);
  }

  #write(reply: PlainReply, cookies?: readonly string[], isAfterRequest = false): void {
    const { raw } = this.#reply;
    if (cannotReply(raw)) return;
    if (this.#parts.gate().isDraining()) raw.shouldKeepAlive = false;
    raw.writeHead(reply.status, this.#headersOf(reply, cookies));
    if (isAfterRequest) endAfterRequest(this.request.raw, raw, reply.payload);
    else raw.end(reply.payload);
  }

  /** Compressed, if the client accepts that. If not, only documents need Vary, and have it. */
  #writeLarge(reply: PlainReply, cookies: readonly string[] | undefined): void {
    const coding = chooseCoding(this.request.headers['accept-encoding']);
    const compressed = coding && this.#parts.compressor.compress(reply, coding);
    if (coding === undefined || compressed === undefined) return this.#write(reply, cookies);
    const headers = { ...reply.headers, vary: 'Accept-Encoding', 'content-encoding': coding };
    compressed
      .then(
        (payload) => this.#write({ ...reply, payload, headers }, cookies),
        () => this.#write(reply, cookies),
      )
      .catch((error: unknown) => this.#abort(error));
    return undefined;
  }

  #abort(error: unknown): void {
    this.#reportBug(error);
    abortReply(this.#reply.raw);
  }

  /** The rest of the body is not read, so the connection cannot be used again. */
  refuseBody(failure: BodyFailure): void {
    this.#reply.raw.shouldKeepAlive = false;
    this.send(failure);
  }

  /** The reply to an exception. A disk error during a read is not a bug. */
  sendBug(error: unknown): void {
    const refused = storageFailure(error);
    if (refused !== undefined) return this.send(refused);
    const where = `Look for ${this.#reportBug(error)} in the log of the service.`;
    const reason = databaseReason(error);
    return this.send(
      reason === undefined ? fail('internal', where) : fail('databaseFailed', `${reason}. ${where}`),
    );
  }

  /** Sends a reply whose body is not complete yet. */
  #sendFlowing(outcome: Flowing): void {
    const { raw } = this.#reply;
    this.#reply.hijack();
    if (cannotReply(raw)) return;
    // The connection ends with a pushed body.
    if ('pushed' in outcome || this.#parts.gate().isDraining()) raw.shouldKeepAlive = false;
    raw.writeHead(outcome.status, this.#headersOf(flowingHead(outcome)));
    writeBody(raw, outcome, () => this.#tookMs()).catch((error: unknown) => this.#abort(error));
  }

  #headersOf({ status, headers, payload }: PlainReply, cookies?: readonly string[]): OutgoingHttpHeaders {
    const all: Record<string, string | string[]> = { ...headers };
    if (payload !== undefined) all['content-length'] = String(Buffer.byteLength(payload));
    const renewed = status < 400 ? this.#renewedCookie() : undefined;
    if (cookies !== undefined) all['set-cookie'] = [...cookies];
    else if (renewed !== undefined) all['set-cookie'] = renewed;
    const { allowedOrigin, withBasePath } = this.#parts.gate();
    if (headers['location'] !== undefined) all['location'] = withBasePath(headers['location']);
    const origin = allowedOrigin(this.request.headers.origin);
    return origin === undefined ? all : { ...all, ...corsHeaders(origin, headers['vary']) };
  }

  /** Every successful reply extends the session and its cookie. */
  #renewedCookie(): string | undefined {
    const { caller } = this;
    if (caller === undefined || caller === 'conflict' || caller.kind !== 'session') return undefined;
    return this.#parts.authenticator.touch(caller, () => this.#isTls());
  }

  #address(): string {
    if (this.isControlSocket) return 'local';
    // `request.ip` searches the headers of proxies, which is slow; used only if proxies are configured.
    const { trustsProxies } = this.#parts.gate();
    return canonicalAddress(trustsProxies ? this.request.ip : this.request.raw.socket.remoteAddress);
  }

  #carriesSid(bodySid: string | undefined): boolean {
    const { headers, query } = this.request;
    return bodySid !== undefined || findSessionId(headers, sidOf(query), undefined).way !== 'none';
  }

  #isTls(): boolean {
    return this.request.protocol === 'https';
  }

  #tookMs(): number {
    return this.#parts.nowMs() - this.#startedMs;
  }

  #reportBug(error: unknown): string {
    return this.#parts.reportBug(error, `${this.request.method} ${this.request.routeOptions.url ?? ''}`);
  }
}

/** The session id in a query or a body. */
export function sidOf(from: unknown): string | undefined {
  const isCarrier = typeof from === 'object' && from !== null && 'sid' in from;
  return isCarrier && typeof from.sid === 'string' ? from.sid : undefined;
}
