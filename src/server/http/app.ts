// The way of a request, and the only file that knows the HTTP framework. The order is fixed: may it come to
// us at all (421, 403), path (404), method (405), size (413), who asks (401), body (400), and then the
// handler, which looks at rights (403), the item (404) and preconditions (412). Handlers are plain functions
// from input to outcome; nothing of the framework reaches them. The path of a read is synchronous: no promise
// is made where nothing has to be waited for.

import { createServer, type IncomingMessage } from 'node:http';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { fail, limits, type Endpoint } from '#contract';
import { databaseTrouble, troubleText } from '../storage/sqlite-errors.ts';
import { carriedBy } from '../auth/carriers.ts';
import type { Arrival } from '../auth/door.ts';
import { isBodyFailure, readBody, type BodyFailure, type BodyOutcome } from './body.ts';
import { accessFailure, isUnmeant, type Caller } from './caller.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import { failureReply, flowingHead, toReply } from './envelope.ts';
import type { AnyOutcome, Flowing, PlainReply } from './envelope.ts';
import { cutOff, flow } from './flowing-reply.ts';
import type { Gate } from './gate.ts';
import type { RequestContext } from './handler.ts';
import { parseJson } from './json.ts';
import { endLater, goneSignal, isGone, setContentType, withKnownMethods } from './raw-request.ts';
import { canonicalAddress, requestFrom } from './request-from.ts';
import type { RequestHandler } from './servers.ts';
import { allowHeader, methodsAt, methodsByPath, restName, routerPath, unknownPath } from './paths.ts';
import { createValidator, type CheckedInput } from './validate.ts';

type AnyHandler = (request: CheckedInput & RequestContext) => AnyOutcome | Promise<AnyOutcome>;

export interface AppOptions {
  readonly table: Readonly<Record<string, Endpoint>>;
  /** One for each endpoint, by its name; each takes and gives what its endpoint declares. */
  readonly handlers: Readonly<Record<string, (request: never) => unknown>>;
  /** Asked for with each request, because it follows the settings. */
  readonly gate: () => Gate;
  readonly door: DoorKeeper;
  readonly isControlSocket: (request: IncomingMessage) => boolean;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  /** Called with what a handler threw; gives the id that the reply and the log share. */
  readonly reportBug: (error: unknown, where: string) => string;
}

/** Knows who asks. Tokens are looked at before the body is read, and again when the body has one. */
interface DoorKeeper {
  readonly identify: (arrival: Arrival) => Caller | 'conflict' | undefined;
  /** A request was answered well; gives the cookie to set, if there is one. */
  readonly touch: (caller: Caller | undefined, isTls: () => boolean) => string | undefined;
}

export interface App {
  readonly handle: RequestHandler;
}

/** Marks of one request that travel with it. */
interface Marks {
  startedMs: number;
  isControlSocket: boolean;
  caller: Caller | 'conflict' | undefined;
}
type Marked = FastifyRequest & Marks;

export const createApp = async (options: AppOptions): Promise<App> => {
  let handle: App['handle'] | undefined;
  const app = fastify({
    // The servers are ours (several share this one instance); the framework only needs to see one.
    serverFactory: (handler) => {
      handle = handler;
      return createServer();
    },
    routerOptions: { maxParamLength: limits.urlLength, ignoreTrailingSlash: true },
    rewriteUrl: (request) => options.gate().withoutBasePath(request.url ?? '/'),
    trustProxy: (address) => options.gate().isTrustedProxy(address),
    frameworkErrors: (_error, request, reply) => {
      marksOf(request).startedMs = options.nowMs();
      send(options, request, reply, fail('invalidUrl'));
    },
    exposeHeadRoutes: true,
  });
  acceptBodies(app);
  app.decorateRequest('startedMs', 0);
  app.decorateRequest('isControlSocket', false);
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const refused = meetRequest(options, request, reply);
    if (refused) return;
    done();
  });
  app.setErrorHandler((error, request, reply) => sendBug(options, request, reply, error));
  app.setNotFoundHandler((request, reply) => send(options, request, reply, fail('notFound', request.url)));
  mount(app, options);
  await app.ready();
  if (handle === undefined) throw new Error('The HTTP framework did not ask for a server.');
  return { handle: withKnownMethods(handle) };
};

/** The first look at a request. True: it has been answered. */
const meetRequest = (options: AppOptions, request: FastifyRequest, reply: FastifyReply): boolean => {
  const marks = marksOf(request);
  marks.startedMs = options.nowMs();
  marks.isControlSocket = options.isControlSocket(request.raw);
  const admitted = options.gate().admit(request.raw, marks.isControlSocket);
  if (admitted !== undefined) return answer(options, request, reply, admitted);
  setContentType(request.raw);
  marks.caller = identify(options, request, undefined);
  if (request.is404) return answerUnknown(options, request, reply);
  // `mount` puts this into the routes of methods that a path does not have.
  const { allow } = request.routeOptions.config as { readonly allow?: string };
  return allow === undefined ? false : answerMethod(options, request, reply, allow);
};

const identify = (
  options: AppOptions,
  request: FastifyRequest,
  bodySid: string | undefined,
): Marks['caller'] =>
  options.door.identify({
    isControlSocket: marksOf(request).isControlSocket,
    headers: request.headers,
    querySid: sidOf(request.query),
    bodySid,
    address: () => addressOf(options, request),
  });

const sidOf = (from: unknown): string | undefined =>
  typeof from === 'object' && from !== null && 'sid' in from && typeof from.sid === 'string'
    ? from.sid
    : undefined;

/** Behind a trusted proxy its client's. */
const addressOf = (options: AppOptions, request: FastifyRequest): string => {
  if (marksOf(request).isControlSocket) return 'local';
  // Looking for proxies costs more than all else about the address; it is done where there may be one.
  const { trustsProxies } = options.gate();
  return canonicalAddress(trustsProxies ? request.ip : request.raw.socket.remoteAddress);
};

const answer = (
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: AnyOutcome,
): true => {
  send(options, request, reply, outcome);
  return true;
};

const answerUnknown = (options: AppOptions, request: FastifyRequest, reply: FastifyReply): true => {
  const path = options.gate().decoded(request.url);
  if (path === undefined) return answer(options, request, reply, fail('invalidUrl'));
  // The router knows no methods beyond the usual ones; the path may be known all the same.
  const methods = methodsAt(options.table, request.url);
  const isOther = !methods.some((method) => method === request.method);
  if (methods.length > 0 && isOther) return answerMethod(options, request, reply, allowHeader(methods));
  return answer(options, request, reply, unknownPath(path, request.headers.host));
};

/** A path that is known, asked with a method that it does not have; OPTIONS is answered for every path. */
const answerMethod = (
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  allow: string,
): true => {
  if (request.method !== 'OPTIONS') {
    return answer(
      options,
      request,
      reply,
      fail('methodNotAllowed', `Allowed here: ${allow}`, { headers: { allow } }),
    );
  }
  const origin = options.gate().allowedOrigin(request.headers.origin);
  const headers = origin === undefined ? { allow } : { allow, ...preflightHeaders(origin, allow) };
  return answer(options, request, reply, { status: 204, headers });
};

const jsonType = 'application/json';

/** JSON is accepted whatever the Content-Type says, and with any method: existing clients send both. */
const acceptBodies = (app: FastifyInstance): void => {
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.addHttpMethod('HEAD', { hasBody: true, overrideExisting: true });
  app.addHttpMethod('DELETE', { hasBody: true, overrideExisting: true });
  // Without a Content-Type the framework looks for no body where no length is announced, as HTTP/2 allows;
  // with one that it cannot read it gives up. Neither matters here.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const type = request.headers['content-type'];
    if (type === undefined ? request.raw.httpVersionMajor >= 2 : type !== jsonType)
      request.headers = { 'content-type': jsonType };
    done(null, payload);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => {
    readBody(payload, announcedLength(request), bodyLimit(request), (body) => done(null, body));
  });
};

const bodyLimit = (request: FastifyRequest): number => {
  const { caller } = marksOf(request);
  if (caller === undefined || caller === 'conflict' || isUnmeant(caller)) return limits.bodyBytesAnonymous;
  // `mount` puts this into the routes of endpoints that declare it.
  const { largeBody } = request.routeOptions.config as { readonly largeBody?: true };
  return largeBody === true ? limits.bodyBytesRestore : limits.bodyBytes;
};

const announcedLength = (request: FastifyRequest): number | undefined => {
  const text = request.headers['content-length'];
  return text === undefined ? undefined : Number(text);
};

const mount = (app: FastifyInstance, options: AppOptions): void => {
  for (const [name, declared] of Object.entries(options.table)) {
    // A handler is called only with what its own endpoint's validator has let pass.
    const handler = options.handlers[name] as AnyHandler | undefined;
    if (handler === undefined) throw new Error(`The endpoint ${name} has no handler.`);
    app.route({
      method: declared.method,
      url: routerPath(declared.path),
      config: declared.largeBody === undefined ? {} : { largeBody: declared.largeBody },
      handler: route(options, declared, handler),
    });
  }
  for (const [url, methods] of methodsByPath(options.table)) {
    const others = allMethods.filter((method) => !methods.some((own) => own === method));
    const without = methods.includes('GET') ? others.filter((method) => method !== 'HEAD') : others;
    // Answered by `meetRequest`, which looks at `config`.
    app.route({ method: without, url, config: { allow: allowHeader(methods) }, handler: () => undefined });
  }
};

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

const route = (options: AppOptions, declared: Endpoint, handler: AnyHandler) => {
  const validate = createValidator(declared);
  const rest = restName(declared.path);
  return (request: FastifyRequest, reply: FastifyReply): void => {
    // The content type parser of `acceptBodies` is the only source of bodies.
    const sent = request.body as BodyOutcome;
    if (sent !== undefined && isBodyFailure(sent)) return refuseBody(options, request, reply, sent);
    const body = sent === undefined ? undefined : parseJson(sent);
    const bodySid = body?.ok === true ? sidOf(body.value) : undefined;
    const marks = marksOf(request);
    if (bodySid !== undefined) marks.caller = identify(options, request, bodySid);
    const { caller } = marks;
    if (caller === 'conflict') return send(options, request, reply, fail('contradictingSids'));
    const refused = accessFailure(declared, caller);
    if (refused !== undefined) return send(options, request, reply, refused);
    // The framework parses the query into an object of texts and arrays of texts.
    const query = request.query as Record<string, unknown>;
    const checked = validate({ params: paramsOf(request, rest), query, body });
    if ('failure' in checked) return send(options, request, reply, checked);
    const context = contextOf(options, request, caller, bodySid);
    return handle(options, request, reply, handler, checked, context);
  };
};

const handle = (
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  handler: AnyHandler,
  checked: CheckedInput,
  context: RequestContext,
): void => {
  try {
    const outcome =
      options.gate().tooLate() ?? handler({ ...checked, ...context, gone: () => goneSignal(reply.raw) });
    if (!(outcome instanceof Promise)) return send(options, request, reply, outcome, checked.ignored);
    outcome.then(
      (later) => send(options, request, reply, later, checked.ignored),
      (error: unknown) => sendBug(options, request, reply, error),
    );
  } catch (error) {
    sendBug(options, request, reply, error);
  }
  return undefined;
};

const contextOf = (
  options: AppOptions,
  request: FastifyRequest,
  caller: Caller | undefined,
  bodySid: string | undefined,
): RequestContext => ({
  caller,
  ifMatch: request.headers['if-match'],
  from: () =>
    requestFrom(
      request.raw,
      addressOf(options, request),
      isTls(request),
      bodySid !== undefined || carriesSid(request),
    ),
});

const carriesSid = (request: FastifyRequest): boolean =>
  carriedBy(request.headers, sidOf(request.query), undefined).way !== 'none';

/** Behind a trusted proxy as the proxy says. */
const isTls = (request: FastifyRequest): boolean => request.protocol === 'https';

/** What is left of the body is not read, so the connection cannot be used again. */
const refuseBody = (
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  failure: BodyFailure,
): void => {
  reply.raw.shouldKeepAlive = false;
  send(options, request, reply, failure);
};

const paramsOf = (request: FastifyRequest, rest: string | undefined): Record<string, string> => {
  // The router gives every parameter of the path as text.
  const params = request.params as Record<string, string>;
  return rest === undefined ? params : { [rest]: params['*'] ?? '' };
};

const sendBug = (options: AppOptions, request: FastifyRequest, reply: FastifyReply, error: unknown): void => {
  // A disk that fails while something is read is trouble of the world around us, not a fault of ours.
  if (databaseTrouble(error) !== undefined) {
    return send(options, request, reply, fail('databaseAway', troubleText(error)));
  }
  const id = options.reportBug(error, `${request.method} ${request.routeOptions.url ?? ''}`);
  send(options, request, reply, fail('internal', `Look for ${id} in the log of the service.`));
};

/**
 * Writes the reply by itself: everything about it is decided here, and the framework's own way to send would
 * go through the headers twice more.
 */
const send = (
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: AnyOutcome,
  ignored: readonly string[] = none,
): void => {
  if ('live' in outcome || 'pushed' in outcome) return sendFlowing(options, request, reply, outcome);
  const tookMs = options.nowMs() - marksOf(request).startedMs;
  const plain: PlainReply =
    'failure' in outcome ? failureReply(outcome, tookMs) : toReply(outcome, tookMs, ignored);
  const { raw } = reply;
  reply.hijack();
  if (isGone(raw)) return;
  if (options.gate().isDraining()) raw.shouldKeepAlive = false;
  raw.writeHead(plain.status, headersOf(options, request, plain));
  if ('failure' in outcome && outcome.failure === 'bodyTooLarge') endLater(request.raw, raw, plain.payload);
  else raw.end(plain.payload);
  return undefined;
};

/** A reply whose body is not known yet. */
const sendFlowing = (
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: Flowing,
): void => {
  const { raw } = reply;
  reply.hijack();
  if (isGone(raw)) return;
  // The end of what is pushed is the end of the connection, too.
  if ('pushed' in outcome || options.gate().isDraining()) raw.shouldKeepAlive = false;
  raw.writeHead(outcome.status, headersOf(options, request, flowingHead(outcome)));
  const tookMs = (): number => options.nowMs() - marksOf(request).startedMs;
  flow(raw, outcome, tookMs).catch((error: unknown) => {
    options.reportBug(error, `${request.method} ${request.routeOptions.url ?? ''}`);
    cutOff(raw);
  });
};

const none: readonly string[] = [];

const headersOf = (
  options: AppOptions,
  request: FastifyRequest,
  { status, headers, payload }: PlainReply,
): Record<string, string> => {
  const all: Record<string, string> = { ...headers };
  if (payload !== undefined) all['content-length'] = String(Buffer.byteLength(payload));
  const cookie = status < 400 ? renewedCookie(options, request) : undefined;
  if (cookie !== undefined) all['set-cookie'] ??= cookie;
  const origin = options.gate().allowedOrigin(request.headers.origin);
  return origin === undefined ? all : { ...all, ...corsHeaders(origin) };
};

/** Every good reply makes the session last longer, and the cookie with it. */
const renewedCookie = (options: AppOptions, request: FastifyRequest): string | undefined => {
  const { caller } = marksOf(request);
  if (caller === undefined || caller === 'conflict' || caller.kind !== 'session') return undefined;
  return options.door.touch(caller, () => isTls(request));
};

// `decorateRequest` has put the marks on every request.
const marksOf = (request: FastifyRequest): Marks => request as Marked;
