// Checks before the routes that depend on settings: the guard against foreign pages, draining, the redirect
// to HTTPS, trusted proxies and the base path. A new gate is created when a setting changes, so that a
// request needs no lookup of settings.

import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { fail, isIpAddress, limits, type Settings } from '#contract';
import { addressSet, contains } from './address-set.ts';
import type { AnyOutcome } from './envelope.ts';
import { createGuard, hostNameOf } from './host-guard.ts';

export interface Gate {
  /** The reply to a request that is not admitted; undefined when it is. */
  readonly admit: (request: IncomingMessage, isControlSocket: boolean) => AnyOutcome | undefined;
  readonly allowedOrigin: (origin: string | undefined) => string | undefined;
  readonly trustsProxies: boolean;
  readonly isTrustedProxy: (address: string) => boolean;
  readonly isDraining: () => boolean;
  /** The reply to a request whose body arrived after the database was closed. */
  readonly closedFailure: () => AnyOutcome | undefined;
  readonly withoutBasePath: (url: string) => string;
  /** A path of this service as its clients see it; whole URLs stay unchanged. */
  readonly withBasePath: (location: string) => string;
  /** The decoded path of a URL; undefined when its escapes are invalid. */
  readonly decoded: (url: string) => string | undefined;
}

/**
 * `leaving`: replies end their connections. `read-only`: writes are refused. `stopping`, `closed`: all
 * requests are refused, and in `closed` the database is closed.
 */
export type Phase = 'open' | 'leaving' | 'read-only' | 'stopping' | 'closed';

export interface GateState {
  readonly web: Settings['web'];
  readonly ownNames: readonly string[];
  /** The domains of the network that this machine is in. */
  readonly ownDomains: readonly string[];
  readonly phase: () => Phase;
  readonly httpsPort: () => number | undefined;
}

export function createGate({ web, ownNames, ownDomains, phase, httpsPort }: GateState): Gate {
  const guard = createGuard({ hosts: web.hosts, origins: web.origins, ownNames, ownDomains });
  const proxies = addressSet(web.trustedProxies);
  const origins = new Set(web.origins.map((origin) => origin.toLowerCase()));
  const isTrustedProxy = (address: string): boolean => proxies !== undefined && contains(proxies, address);
  const admit: Gate['admit'] = (request, isControlSocket) => {
    const refusedNow = phase() === 'open' ? undefined : phaseFailure(phase(), request);
    if (refusedNow !== undefined) return refusedNow;
    if (isControlSocket) return undefined;
    const malformed = targetProblem(request);
    if (malformed !== undefined) return malformed;
    const { headers } = request;
    const host = hostOf(request);
    if (isProbeWithoutHost(request, host)) return undefined;
    const refused = guard({ host, origin: headers.origin, secFetchSite: single(headers['sec-fetch-site']) });
    if (refused !== undefined || !web.redirect) return refused;
    return redirectToHttps(request, host ?? '', {
      port: httpsPort(),
      isTrustedProxy,
      basePath: web.basePath,
    });
  };
  return {
    admit,
    trustsProxies: proxies !== undefined,
    isTrustedProxy,
    isDraining: () => phase() !== 'open',
    closedFailure: () => (phase() === 'closed' ? restartingFailure : undefined),
    allowedOrigin: (origin) =>
      origins.size > 0 && origin !== undefined && origins.has(origin.toLowerCase()) ? origin : undefined,
    withoutBasePath: (url) => (isBelow(url, web.basePath) ? url.slice(web.basePath.length) || '/' : url),
    withBasePath: (location) => (location.startsWith('/') ? `${web.basePath}${location}` : location),
    decoded: decodedPath,
  };
}

/** Reads continue for as long as possible; a write that might be lost must be refused. */
function phaseFailure(phase: Phase, { method = 'GET' }: IncomingMessage): AnyOutcome | undefined {
  if (phase === 'leaving' || (phase === 'read-only' && reading.has(method))) return undefined;
  return phase === 'stopping' ? { ...fail('unavailable', 'The service is stopping.') } : restartingFailure;
}

const restartingFailure: AnyOutcome = {
  ...fail('unavailable', 'The service is being restarted: try again in a moment.'),
};

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function isBelow(url: string, basePath: string): boolean {
  return basePath !== '' && url.startsWith(basePath) && ['/', '?', ''].includes(url.charAt(basePath.length));
}

function decodedPath(url: string): string | undefined {
  try {
    const path = decodeURIComponent(url.split('?', 1)[0] ?? '');
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}

const wholeUrl = /^https?:\/\/([^/?#]*)/i;

/** A path or a whole URL (RFC 9112 section 3.2), and one host in both places (RFC 9113 section 8.3.1). */
function targetProblem(request: IncomingMessage): AnyOutcome | undefined {
  const { url = '', headers } = request;
  if (url.length > limits.urlLength)
    return fail('invalidUrl', `A URL may have ${limits.urlLength} characters.`);
  if (!url.startsWith('/') && !wholeUrl.test(url)) return fail('invalidUrl');
  const named = authority(request);
  return named === undefined || headers.host === undefined || headers.host === named
    ? undefined
    : fail('invalidRequest', 'The headers Host and :authority differ.');
}

/** The host in the target of the request takes precedence over Host (RFC 9112 section 3.2.2). */
function hostOf(request: IncomingMessage): string | undefined {
  return (
    (request.url?.startsWith('/') === true ? undefined : wholeUrl.exec(request.url ?? '')?.[1]) ??
    authority(request) ??
    request.headers.host
  );
}

// HTTP/2 uses `:authority` instead of Host.
function authority(request: IncomingMessage): string | undefined {
  return single(request.headers[':authority']);
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

const health = /^\/api\/health\/?(?:\?|$)/;

/** Browsers always send Host; probes of load balancers often use HTTP/1.0 without it. */
function isProbeWithoutHost(
  { url = '', httpVersionMajor }: IncomingMessage,
  host: string | undefined,
): boolean {
  return host === undefined && httpVersionMajor > 0 && health.test(url);
}

interface RedirectState {
  readonly port: number | undefined;
  readonly isTrustedProxy: (address: string) => boolean;
  readonly basePath: string;
}

function redirectToHttps(
  request: IncomingMessage,
  host: string,
  state: RedirectState,
): AnyOutcome | undefined {
  const isPlain = !(request.socket instanceof TLSSocket) && !('encrypted' in request.socket);
  const { url = '/' } = request;
  const isForwarded = state.isTrustedProxy(request.socket.remoteAddress ?? '');
  // Probes of containers and load balancers use plain HTTP and follow no redirect.
  if (!isPlain || isForwarded || state.port === undefined || health.test(url)) return undefined;
  const name = hostNameOf(host);
  const port = state.port === 443 ? '' : `:${state.port}`;
  const authorityText = `${isIpAddress(name) === 6 ? `[${name}]` : name}${port}`;
  return {
    status: 308,
    headers: { location: `https://${authorityText}${state.basePath}${url}` },
  };
}
