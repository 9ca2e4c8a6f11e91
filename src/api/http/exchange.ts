// One request with its reply, and what is known of them on the way: when it began, how it came,
// who calls. Of the framework's objects it takes the few fields that it needs, so that only app.ts knows the
// framework. Replies are written here: the framework would go through the headers twice more.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { fail } from '#contract';
import { carriedBy } from '../auth/carriers.ts';
import type { Arrival } from '../auth/authenticator.ts';
import { storageFailure } from '#store/database';
import type { BodyFailure } from './body.ts';
import type { Caller } from '../auth/caller.ts';
import { corsHeaders } from './cors.ts';
import {
  type AnyOutcome,
  failureReply,
  type Flowing,
  flowingHead,
  type PlainReply,
  toReply,
} from './envelope.ts';
import { cutOff, flow } from './flowing-reply.ts';
import type { Gate } from './gate.ts';
import type { RequestContext } from './handler.ts';
import { endLater, goneSignal, isGone } from './raw-request.ts';
import { canonicalAddress, requestFrom } from './request-from.ts';

/** What is used of the framework's request. */
interface FrameworkRequest {
  readonly raw: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  readonly query: unknown;
  readonly method: string;
  readonly routeOptions: { readonly url?: string | undefined };
  /** Behind a trusted proxy its client's. */
  readonly ip: string;
  /** Behind a trusted proxy as the proxy says. */
  readonly protocol: string;
}

/** What is used of the framework's reply. */
interface FrameworkReply {
  readonly raw: ServerResponse;
  /** From now on the reply is written by us. */
  readonly hijack: () => unknown;
}

/** Knows who calls. Tokens are looked at before the body is read, and again when the body has one. */
interface CallerLookup {
  readonly identify: (arrival: Arrival) => Caller | 'conflict' | undefined;
  /** A request was answered well; gives the cookie to set, if there is one. */
  readonly touch: (caller: Caller | undefined, isTls: () => boolean) => string | undefined;
}

export interface ExchangeParts {
  /** Read for each request, because it follows the settings. */
  readonly gate: () => Gate;
  readonly door: CallerLookup;
  readonly isControlSocket: (request: IncomingMessage) => boolean;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  /** Gives the id that the reply and the log share. */
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
    this.caller = this.#parts.door.identify({
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
    const tookMs = this.#tookMs();
    const plain: PlainReply =
      'failure' in outcome ? failureReply(outcome, tookMs) : toReply(outcome, tookMs, ignored);
    const { raw } = this.#reply;
    this.#reply.hijack();
    if (isGone(raw)) return;
    if (this.#parts.gate().isDraining()) raw.shouldKeepAlive = false;
    raw.writeHead(plain.status, this.#headersOf(plain));
    if ('failure' in outcome && outcome.failure === 'bodyTooLarge')
      endLater(this.request.raw, raw, plain.payload);
    else raw.end(plain.payload);
  }

  /** What is left of the body is not read, so the connection cannot be used again. */
  refuseBody(failure: BodyFailure): void {
    this.#reply.raw.shouldKeepAlive = false;
    this.send(failure);
  }

  /** The reply to an exception. A disk that fails during a read is no bug. */
  sendBug(error: unknown): void {
    const refused = storageFailure(error);
    if (refused !== undefined) return this.send(refused);
    const id = this.#reportBug(error);
    return this.send(fail('internal', `Look for ${id} in the log of the service.`));
  }

  /** A reply whose body is not known yet. */
  #sendFlowing(outcome: Flowing): void {
    const { raw } = this.#reply;
    this.#reply.hijack();
    if (isGone(raw)) return;
    // The end of what is pushed is the end of the connection, too.
    if ('pushed' in outcome || this.#parts.gate().isDraining()) raw.shouldKeepAlive = false;
    raw.writeHead(outcome.status, this.#headersOf(flowingHead(outcome)));
    flow(raw, outcome, () => this.#tookMs()).catch((error: unknown) => {
      this.#reportBug(error);
      cutOff(raw);
    });
  }

  #headersOf({ status, headers, payload }: PlainReply): Record<string, string> {
    const all: Record<string, string> = { ...headers };
    if (payload !== undefined) all['content-length'] = String(Buffer.byteLength(payload));
    const cookie = status < 400 ? this.#renewedCookie() : undefined;
    if (cookie !== undefined) all['set-cookie'] ??= cookie;
    const origin = this.#parts.gate().allowedOrigin(this.request.headers.origin);
    return origin === undefined ? all : { ...all, ...corsHeaders(origin) };
  }

  /** Every good reply makes the session last longer, and the cookie with it. */
  #renewedCookie(): string | undefined {
    const { caller } = this;
    if (caller === undefined || caller === 'conflict' || caller.kind !== 'session') return undefined;
    return this.#parts.door.touch(caller, () => this.#isTls());
  }

  #address(): string {
    if (this.isControlSocket) return 'local';
    // Looking for proxies costs more than all else about the address; it is done where there may be one.
    const { trustsProxies } = this.#parts.gate();
    return canonicalAddress(trustsProxies ? this.request.ip : this.request.raw.socket.remoteAddress);
  }

  #carriesSid(bodySid: string | undefined): boolean {
    const { headers, query } = this.request;
    return bodySid !== undefined || carriedBy(headers, sidOf(query), undefined).way !== 'none';
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
