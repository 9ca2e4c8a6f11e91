// How a request is processed, and the only file that knows the HTTP framework. The order of checks is fixed:
// host and origin (421, 403), path (404), method (405), size (413), caller (401), body (400), and then the
// handler, which checks permission (403), the item (404) and preconditions (412). Handlers are plain
// functions from input to outcome; they do not see the framework. A read is synchronous: it creates no
// promise.

import { createServer } from 'node:http';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { fail, limits, type Endpoint } from '#contract';
import { isBodyFailure, readBody, type BodyOutcome } from './body.ts';
import { Compressor } from './compression.ts';
import { accessFailure, lacksCsrfToken } from '../auth/caller.ts';
import { preflightHeaders } from './cors.ts';
import type { AnyOutcome } from './envelope.ts';
import { Exchange, sidOf, type ExchangeParts } from './exchange.ts';
import type { RequestContext } from './handler.ts';
import { parseJson } from './json.ts';
import {
  allowHeader,
  hasInvalidQuery,
  methodsAt,
  methodsByPath,
  restName,
  routerPath,
  unknownPath,
} from './paths.ts';
import { type RequestHandler, setContentType, withKnownMethods } from './raw-request.ts';
import { createValidator, type CheckedInput } from './validate.ts';

type AnyHandler = (request: CheckedInput & RequestContext) => AnyOutcome | Promise<AnyOutcome>;

export interface AppOptions extends Omit<ExchangeParts, 'compressor'> {
  readonly table: Readonly<Record<string, Endpoint>>;
  /** One for each endpoint, by its name; input and outcome are those that the endpoint declares. */
  readonly handlers: Readonly<Record<string, (request: never) => unknown>>;
}

export interface App {
  readonly handle: RequestHandler;
}

export async function createApp(options: AppOptions): Promise<App> {
  let handle: App['handle'] | undefined;
  const parts: ExchangeParts = { ...options, compressor: new Compressor() };
  const app = fastify({
    // Several servers of ours share this instance; the framework needs only a placeholder.
    serverFactory: (handler) => {
      handle = handler;
      return createServer();
    },
    routerOptions: { maxParamLength: limits.urlLength, ignoreTrailingSlash: true },
    rewriteUrl: (request) => options.gate().withoutBasePath(request.url ?? '/'),
    trustProxy: (address) => options.gate().isTrustedProxy(address),
    frameworkErrors: (_error, request, reply) => new Exchange(parts, request, reply).send(fail('invalidUrl')),
    exposeHeadRoutes: true,
  });
  acceptBodies(app);
  app.decorateRequest('exchange', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const exchange = new Exchange(parts, request, reply);
    // Declared by `decorateRequest` above.
    (request as WithExchange).exchange = exchange;
    const refusal = replyBeforeBody(options, exchange, request);
    if (refusal === undefined) done();
    else exchange.send(refusal);
  });
  app.setErrorHandler((error, request) => exchangeOf(request).sendBug(error));
  app.setNotFoundHandler((request) => exchangeOf(request).send(fail('notFound', request.url)));
  mount(app, options);
  await app.ready();
  if (handle === undefined) throw new Error('The HTTP framework did not request a server.');
  return { handle: withKnownMethods(handle) };
}

type WithExchange = FastifyRequest & { exchange: Exchange };

function exchangeOf(request: FastifyRequest): Exchange {
  // The first hook has set it.
  return (request as WithExchange).exchange;
}

/** The reply to a request that needs no handler, before its body is read; undefined: a handler answers. */
function replyBeforeBody(
  options: AppOptions,
  exchange: Exchange,
  request: FastifyRequest,
): AnyOutcome | undefined {
  const refused = options.gate().admit(request.raw, exchange.isControlSocket);
  if (refused !== undefined) return refused;
  if (hasInvalidQuery(request.url)) return fail('invalidUrl');
  setContentType(request.raw);
  exchange.identify(undefined);
  if (request.is404) return unknownPathReply(options, request);
  // `mount` adds this to the routes of the methods that a path does not have.
  const { allow } = request.routeOptions.config as { readonly allow?: string };
  return allow === undefined ? undefined : otherMethodReply(options, request, allow);
}

function unknownPathReply(options: AppOptions, request: FastifyRequest): AnyOutcome {
  const path = options.gate().decoded(request.url);
  if (path === undefined) return fail('invalidUrl');
  // The router knows only common methods, so a request with another method may still have a known path.
  const methods = methodsAt(options.table, request.url);
  const isOther = !methods.some((method) => method === request.method);
  if (methods.length > 0 && isOther) return otherMethodReply(options, request, allowHeader(methods));
  return unknownPath(path, request.headers.host);
}

/** The reply to a known path with a method that it does not have; every path answers OPTIONS. */
function otherMethodReply(options: AppOptions, request: FastifyRequest, allow: string): AnyOutcome {
  if (request.method !== 'OPTIONS')
    return fail('methodNotAllowed', `Allowed here: ${allow}`, { headers: { allow } });
  const origin = options.gate().allowedOrigin(request.headers.origin);
  const headers = origin === undefined ? { allow } : { allow, ...preflightHeaders(origin, allow) };
  return { status: 204, headers };
}

const jsonType = 'application/json';

/** Accepts JSON with any Content-Type and any method, because existing clients send it so. */
function acceptBodies(app: FastifyInstance): void {
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.addHttpMethod('HEAD', { hasBody: true, overrideExisting: true });
  app.addHttpMethod('DELETE', { hasBody: true, overrideExisting: true });
  // Without a Content-Type the framework ignores bodies of unannounced length, which HTTP/2 allows; it
  // refuses a Content-Type that it cannot parse. We want neither.
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
}

function bodyLimit(request: FastifyRequest): number {
  const { caller } = exchangeOf(request);
  if (caller === undefined || caller === 'conflict' || lacksCsrfToken(caller))
    return limits.bodyBytesAnonymous;
  // `mount` adds this to the routes of endpoints that declare it.
  const { largeBody } = request.routeOptions.config as { readonly largeBody?: true };
  return largeBody === true ? limits.bodyBytesRestore : limits.bodyBytes;
}

function announcedLength(request: FastifyRequest): number | undefined {
  const text = request.headers['content-length'];
  return text === undefined ? undefined : Number(text);
}

function mount(app: FastifyInstance, options: AppOptions): void {
  for (const [name, declared] of Object.entries(options.table)) {
    // A handler is called only with input that the validator of its endpoint has accepted.
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
    // Answered by `replyBeforeBody`, which reads `config`.
    app.route({ method: without, url, config: { allow: allowHeader(methods) }, handler: () => undefined });
  }
}

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

function route(options: AppOptions, declared: Endpoint, handler: AnyHandler) {
  const validate = createValidator(declared);
  const rest = restName(declared.path);
  return (request: FastifyRequest): void => {
    const exchange = exchangeOf(request);
    // The content type parser of `acceptBodies` is the only source of bodies.
    const sent = request.body as BodyOutcome;
    if (sent !== undefined && isBodyFailure(sent)) return exchange.refuseBody(sent);
    const body = sent === undefined ? undefined : parseJson(sent);
    const bodySid = body?.ok === true ? sidOf(body.value) : undefined;
    if (bodySid !== undefined) exchange.identify(bodySid);
    const { caller } = exchange;
    if (caller === 'conflict') return exchange.send(fail('contradictingSids'));
    const refused = accessFailure(declared, caller);
    if (refused !== undefined) return exchange.send(refused);
    // The framework parses the query into an object of texts and arrays of texts.
    const query = request.query as Record<string, unknown>;
    const checked = validate({ params: paramsOf(request, rest), query, body });
    if ('failure' in checked) return exchange.send(checked);
    return runHandler(options, exchange, handler, checked, exchange.context(caller, bodySid));
  };
}

function runHandler(
  options: AppOptions,
  exchange: Exchange,
  handler: AnyHandler,
  checked: CheckedInput,
  context: RequestContext,
): void {
  try {
    const outcome =
      options.gate().closedFailure() ?? handler({ ...checked, ...context, gone: () => exchange.gone() });
    if (!(outcome instanceof Promise)) return exchange.send(outcome, checked.ignored);
    outcome.then(
      (later) => exchange.send(later, checked.ignored),
      (error: unknown) => exchange.sendBug(error),
    );
  } catch (error) {
    exchange.sendBug(error);
  }
  return undefined;
}

function paramsOf(request: FastifyRequest, rest: string | undefined): Record<string, string> {
  // The router passes every parameter of the path as text.
  const params = request.params as Record<string, string>;
  return rest === undefined ? params : { [rest]: params['*'] ?? '' };
}
