// The way of a request, and the only file that knows the HTTP framework. The order is fixed: may it come to
// us at all (421, 403), path (404), method (405), size (413), who asks (401), body (400), and then the
// handler, which looks at rights (403), the item (404) and preconditions (412). Handlers are plain functions
// from input to outcome; nothing of the framework reaches them. The path of a read is synchronous: no promise
// is made where nothing has to be waited for.

import { createServer } from 'node:http';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { fail, limits, type Endpoint } from '#contract';
import { isBodyFailure, readBody, type BodyOutcome } from './body.ts';
import { accessFailure, lacksCsrfToken } from '../auth/caller.ts';
import { preflightHeaders } from './cors.ts';
import type { AnyOutcome } from './envelope.ts';
import { Exchange, sidOf, type ExchangeParts } from './exchange.ts';
import type { RequestContext } from './handler.ts';
import { parseJson } from './json.ts';
import { allowHeader, methodsAt, methodsByPath, restName, routerPath, unknownPath } from './paths.ts';
import { setContentType, withKnownMethods } from './raw-request.ts';
import type { RequestHandler } from './servers.ts';
import { createValidator, type CheckedInput } from './validate.ts';

type AnyHandler = (request: CheckedInput & RequestContext) => AnyOutcome | Promise<AnyOutcome>;

export interface AppOptions extends ExchangeParts {
  readonly table: Readonly<Record<string, Endpoint>>;
  /** One for each endpoint, by its name; each takes and gives what its endpoint declares. */
  readonly handlers: Readonly<Record<string, (request: never) => unknown>>;
}

export interface App {
  readonly handle: RequestHandler;
}

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
    frameworkErrors: (_error, request, reply) =>
      new Exchange(options, request, reply).send(fail('invalidUrl')),
    exposeHeadRoutes: true,
  });
  acceptBodies(app);
  app.decorateRequest('exchange', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const exchange = new Exchange(options, request, reply);
    // Declared by `decorateRequest` above.
    (request as WithExchange).exchange = exchange;
    const refusal = firstLook(options, exchange, request);
    if (refusal === undefined) done();
    else exchange.send(refusal);
  });
  app.setErrorHandler((error, request) => exchangeOf(request).sendBug(error));
  app.setNotFoundHandler((request) => exchangeOf(request).send(fail('notFound', request.url)));
  mount(app, options);
  await app.ready();
  if (handle === undefined) throw new Error('The HTTP framework did not ask for a server.');
  return { handle: withKnownMethods(handle) };
};

type WithExchange = FastifyRequest & { exchange: Exchange };

// The first hook has put it there.
const exchangeOf = (request: FastifyRequest): Exchange => (request as WithExchange).exchange;

/** What can be answered before the body is read; undefined: it is a request for a handler. */
function firstLook(options: AppOptions, exchange: Exchange, request: FastifyRequest): AnyOutcome | undefined {
  const refused = options.gate().admit(request.raw, exchange.isControlSocket);
  if (refused !== undefined) return refused;
  setContentType(request.raw);
  exchange.identify(undefined);
  if (request.is404) return unknown(options, request);
  // `mount` puts this into the routes of methods that a path does not have.
  const { allow } = request.routeOptions.config as { readonly allow?: string };
  return allow === undefined ? undefined : otherMethod(options, request, allow);
}

function unknown(options: AppOptions, request: FastifyRequest): AnyOutcome {
  const path = options.gate().decoded(request.url);
  if (path === undefined) return fail('invalidUrl');
  // The router knows no methods beyond the usual ones; the path may be known all the same.
  const methods = methodsAt(options.table, request.url);
  const isOther = !methods.some((method) => method === request.method);
  if (methods.length > 0 && isOther) return otherMethod(options, request, allowHeader(methods));
  return unknownPath(path, request.headers.host);
}

/** A path that is known, asked with a method that it does not have; OPTIONS is answered for every path. */
function otherMethod(options: AppOptions, request: FastifyRequest, allow: string): AnyOutcome {
  if (request.method !== 'OPTIONS')
    return fail('methodNotAllowed', `Allowed here: ${allow}`, { headers: { allow } });
  const origin = options.gate().allowedOrigin(request.headers.origin);
  const headers = origin === undefined ? { allow } : { allow, ...preflightHeaders(origin, allow) };
  return { status: 204, headers };
}

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
  const { caller } = exchangeOf(request);
  if (caller === undefined || caller === 'conflict' || lacksCsrfToken(caller))
    return limits.bodyBytesAnonymous;
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
    // Answered by `firstLook`, which reads `config`.
    app.route({ method: without, url, config: { allow: allowHeader(methods) }, handler: () => undefined });
  }
};

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
      options.gate().tooLate() ?? handler({ ...checked, ...context, gone: () => exchange.gone() });
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
  // The router gives every parameter of the path as text.
  const params = request.params as Record<string, string>;
  return rest === undefined ? params : { [rest]: params['*'] ?? '' };
}
