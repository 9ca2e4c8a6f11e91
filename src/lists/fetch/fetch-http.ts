// A list by http or https: asked for with what is known of the last copy, followed where the server sends us
// within bounds, and written to the draft.

import type { IncomingMessage } from 'node:http';
import { withinTime } from './fetch-clock.ts';
import { failed, type FetchOutcome, type Validators } from '../fetch-outcome.ts';
import { shownAddress } from '../shown-address.ts';
import { failureOf } from './fetch-problem.ts';
import { httpReply, type HttpOptions } from './http-reply.ts';
import { isRedirect, nextAddress } from './redirect.ts';
import { acceptedEncodings, writeDraft } from '../copies/write-draft.ts';

export interface FetchHttpOptions extends HttpOptions {
  readonly userAgent: string;
  /** Ends everything when the program ends. */
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
      follow(url, known, draftPath, options, stop),
    );
  } catch (error) {
    return failureOf(error, url);
  }
}

async function follow(
  url: URL,
  known: Validators,
  draftPath: string,
  options: FetchHttpOptions,
  stop: AbortController,
): Promise<FetchOutcome> {
  const headers = headersFor(known, options.userAgent);
  const way = [url];
  let at = url;
  // Bounded: nextAddress refuses to go on when the way is too long.
  for (;;) {
    const reply = await httpReply(at, headers, options, stop);
    const status = reply.statusCode ?? 0;
    const isKnown = known.etag !== undefined || known.lastModified !== undefined;
    if (status === 304 && isKnown) {
      reply.destroy();
      return { kind: 'unchanged' };
    }
    if (!isRedirect(status)) return await take(reply, status, url, draftPath, options, stop);
    // Its body is of no interest, however long it is.
    reply.destroy();
    const next = nextAddress(way, reply.headers.location, options.limits.redirects);
    if (!(next instanceof URL)) return next;
    way.push(next);
    at = next;
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

async function take(
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
      `${shownAddress(url)}: ${announced} bytes are announced; no list needs that; check the address.`,
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

/** What we send back at every update stays small. */
const validatorLengthMax = 1024;

const bounded = (text: string | undefined): string | undefined =>
  text !== undefined && text.length <= validatorLengthMax ? text : undefined;

function statusProblem(status: number, url: URL): readonly [string, boolean] {
  const where = shownAddress(url);
  if (status === 404 || status === 410)
    return [`${where}: the list is not there any more (${status}); look for its new address.`, false];
  if (status === 401 || status === 403)
    return [`${where}: the server does not let us read the list (${status}); check the address.`, false];
  if (status === 408 || status === 429 || status >= 500)
    return [`${where}: the server cannot answer now (${status}); it is tried again.`, true];
  return [`${where}: the server answers with ${status} instead of a list; check the address.`, false];
}
