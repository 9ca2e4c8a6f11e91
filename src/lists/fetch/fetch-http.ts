// Downloads a list over http or https: sends a conditional request, follows redirects within limits, and
// writes the body to the draft file. Connections are neither pooled nor proxied: a list is fetched about once
// a day, and its route must depend on settings alone, not on environment variables. The caller passes in the
// function that resolves host names, so that lists can be fetched before Sluice answers DNS.

import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { reasonOf, withinTime } from './fetch-clock.ts';
import {
  failed,
  FetchStop,
  type FetchFailure,
  type FetchOutcome,
  type Validators,
} from '../fetch-outcome.ts';
import { maxLocationLength, type FetchLimits } from '../list-limits.ts';
import { shownAddress } from '../shown-address.ts';
import { failureOf } from './fetch-problem.ts';
import { guardedLookup, literalProblem, type Reach } from './list-reach.ts';
import { acceptedEncodings, writeDraft } from '../copies/write-draft.ts';

export interface FetchHttpOptions {
  readonly limits: FetchLimits;
  /** Like that of node:dns, including `all`; the default is the resolver of the system. */
  readonly lookup?: LookupFunction | undefined;
  /** PEM. When set, no other certificate authority is trusted. */
  readonly ca?: string | undefined;
  /** Which addresses the list may connect to. */
  readonly reach: Reach;
  readonly userAgent: string;
  /** Aborted when the program stops. */
  readonly signal: AbortSignal;
}

export async function fetchHttp(
  url: URL,
  known: Validators,
  draftPath: string,
  options: FetchHttpOptions,
): Promise<FetchOutcome> {
  const { signal, limits } = options;
  try {
    return await withinTime(url, { signal, overallMs: limits.overallMs }, (stop) =>
      fetchWithRedirects(url, known, draftPath, options, stop),
    );
  } catch (error) {
    return failureOf(error, url);
  }
}

async function fetchWithRedirects(
  url: URL,
  known: Validators,
  draftPath: string,
  options: FetchHttpOptions,
  stop: AbortController,
): Promise<FetchOutcome> {
  const headers = headersFor(known, options.userAgent);
  const visited = [url];
  let current = url;
  // Ends because nextAddress refuses to exceed the limit of redirects.
  for (;;) {
    const reply = await sendRequest(current, headers, options, stop);
    const status = reply.statusCode ?? 0;
    const isConditional = known.etag !== undefined || known.lastModified !== undefined;
    if (status === 304 && isConditional) {
      reply.destroy();
      return { kind: 'unchanged' };
    }
    if (!redirectCodes.includes(status)) return await storeBody(reply, status, url, draftPath, options, stop);
    // The body of a redirect is never read, however long it is.
    reply.destroy();
    const next = nextAddress(visited, reply.headers.location, options.limits.redirects);
    if (!(next instanceof URL)) return next;
    visited.push(next);
    current = next;
  }
}

function headersFor(known: Validators, userAgent: string): Record<string, string> {
  return {
    'user-agent': userAgent,
    accept: 'text/plain, */*;q=0.5',
    'accept-encoding': acceptedEncodings,
    ...(known.etag === undefined ? {} : { 'if-none-match': known.etag }),
    ...(known.lastModified === undefined ? {} : { 'if-modified-since': known.lastModified }),
  };
}

/** Resolves with the head of the reply; the caller reads or destroys the body. */
function sendRequest(
  url: URL,
  headers: Readonly<Record<string, string>>,
  options: FetchHttpOptions,
  stop: AbortController,
): Promise<IncomingMessage> {
  const { limits, ca, reach } = options;
  const forbidden = literalProblem(url, reach);
  if (forbidden !== undefined) return Promise.reject(forbidden);
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = start(url, {
      agent: false,
      headers,
      signal: stop.signal,
      lookup: guardedLookup(url, reach, options.lookup),
      ...(ca === undefined ? {} : { ca }),
    });
    const where = shownAddress(url);
    const connectTimer = setTimeout(() => {
      request.destroy(new FetchStop(`${where}: no connection within ${limits.connectMs} ms.`, true));
    }, limits.connectMs);
    request.on('socket', (socket) => {
      const event = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      socket.once(event, () => clearTimeout(connectTimer));
      const end = watchSpeed(socket, limits, () =>
        giveUp(`the server sends fewer than ${limits.slowBytes} bytes in ${limits.slowMs} ms.`),
      );
      request.on('close', end);
    });
    request.on('close', () => clearTimeout(connectTimer));
    const giveUp = (why: string): void => {
      const reason = new FetchStop(`${where}: ${why}`, true);
      // Before the reply this fails the request; after it, the abort fails the reading of the body.
      request.destroy(reason);
      stop.abort(reason);
    };
    request.setTimeout(limits.silenceMs, () => giveUp(`the server sent nothing for ${limits.silenceMs} ms.`));
    request.on('response', resolve);
    request.on('error', (error) => reject(reasonOf(stop.signal, error)));
    request.end();
  });
}

/** Compares the byte count at each interval, once bytes have arrived: `silenceMs` covers the time before. */
function watchSpeed(socket: Socket, { slowBytes, slowMs }: FetchLimits, onSlow: () => void): () => void {
  let before = 0;
  const timer = setInterval(() => {
    const { bytesRead } = socket;
    if (before > 0 && bytesRead - before < slowBytes) onSlow();
    before = bytesRead;
  }, slowMs).unref();
  return () => clearInterval(timer);
}

/** RFC 9110, 15.4. 300 and 305 name no single target; 304 is not a redirect. */
const redirectCodes: readonly number[] = [301, 302, 303, 307, 308];

/** `visited`: every address so far; the last one sent the redirect. */
function nextAddress(
  visited: readonly URL[],
  location: string | undefined,
  maxRedirects: number,
): URL | FetchFailure {
  const from = visited.at(-1);
  if (from === undefined || location === undefined)
    return refuse(visited, 'the server redirects without a target; check the address');
  if (location.length > maxLocationLength)
    return refuse(visited, 'the server redirects to an address that is too long; check the address');
  const to = URL.parse(location, from);
  if (to === null) return refuse(visited, 'the server redirects to an invalid address; check the address');
  const problem = schemeProblem(from, to);
  if (problem !== undefined) return refuse(visited, problem);
  if (visited.some(({ href }) => href === to.href))
    return refuse(visited, 'the server redirects in a circle; check the address in a browser');
  if (visited.length > maxRedirects)
    return refuse(visited, `more than ${maxRedirects} redirects; subscribe to the address that they end at`);
  return to;
}

/** A list subscribed by https cannot be altered on the way, so it never falls back to http. */
function schemeProblem(from: URL, to: URL): string | undefined {
  if (to.protocol !== 'https:' && to.protocol !== 'http:')
    return `the server redirects to ${to.protocol}, which is never followed; check the address`;
  if (from.protocol === 'https:' && to.protocol === 'http:')
    return `the server redirects to ${shownAddress(to)}, without encryption; use that if you trust it`;
  return undefined;
}

function refuse(visited: readonly URL[], text: string): FetchFailure {
  const first = visited[0];
  return failed(`${first === undefined ? '' : `${shownAddress(first)}: `}${text}.`, false);
}

async function storeBody(
  reply: IncomingMessage,
  status: number,
  url: URL,
  draftPath: string,
  options: FetchHttpOptions,
  stop: AbortController,
): Promise<FetchOutcome> {
  if (status !== 200) {
    reply.destroy();
    return failed(...statusProblem(status, url));
  }
  const { limits } = options;
  const announced = Number(reply.headers['content-length'] ?? 0);
  if (announced > limits.packedBytes) {
    reply.destroy();
    return failed(
      `${shownAddress(url)}: ${announced} bytes are announced, too many for a list; check the address.`,
      false,
    );
  }
  const facts = await writeDraft(reply, reply.headers['content-encoding'], draftPath, limits, stop.signal);
  return {
    kind: 'changed',
    ...facts,
    etag: bounded(reply.headers.etag),
    lastModified: bounded(reply.headers['last-modified']),
  };
}

/** Every update sends the validators back: longer ones are not stored. */
const maxValidatorLength = 1024;

function bounded(text: string | undefined): string | undefined {
  return text !== undefined && text.length <= maxValidatorLength ? text : undefined;
}

function statusProblem(status: number, url: URL): readonly [string, boolean] {
  const where = shownAddress(url);
  if (status === 404 || status === 410)
    return [`${where}: the list is not there any more (${status}); look for its new address.`, false];
  if (status === 401 || status === 403)
    return [`${where}: the server refuses access to the list (${status}); check the address.`, false];
  if (status === 408 || status === 429 || status >= 500)
    return [`${where}: the server cannot answer now (${status}); Sluice tries again.`, true];
  return [`${where}: the server answers with ${status} instead of a list; check the address.`, false];
}
