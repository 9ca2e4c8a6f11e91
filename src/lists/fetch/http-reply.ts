// One HTTP request and the head of its reply. No agent is shared and no proxy is taken from the environment:
// a list is fetched once a day, and by the way that the settings say. Names are resolved by the function that
// is handed in, so that lists can be fetched while our own DNS is not up yet.

import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { reasonOf } from './fetch-clock.ts';
import { FetchStop } from '../fetch-outcome.ts';
import { shownAddress } from '../shown-address.ts';
import type { FetchLimits } from '../list-limits.ts';
import { guardedLookup, literalProblem, type Reach } from './list-reach.ts';

export interface HttpOptions {
  readonly limits: FetchLimits;
  /** As that of node:dns, `all` included; without it the system's. */
  readonly lookup?: LookupFunction | undefined;
  /** PEM; beside it nothing else is trusted. */
  readonly ca?: string | undefined;
  /** What addresses may be connected to. */
  readonly reach: Reach;
}

/** Ends with the reply, or with an error; the reply's body is still to be read. */
export function httpReply(
  url: URL,
  headers: Readonly<Record<string, string>>,
  options: HttpOptions,
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
    const slow = setTimeout(() => {
      request.destroy(new FetchStop(`${where}: no connection within ${limits.connectMs} ms.`, true));
    }, limits.connectMs);
    request.on('socket', (socket) => {
      const event = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      socket.once(event, () => clearTimeout(slow));
      const end = watchSpeed(socket, limits, () =>
        giveUp(`the server sends fewer than ${limits.slowBytes} bytes in ${limits.slowMs} ms.`),
      );
      request.on('close', end);
    });
    request.on('close', () => clearTimeout(slow));
    const giveUp = (why: string): void => {
      const reason = new FetchStop(`${where}: ${why}`, true);
      // Before the reply the request fails by it, afterwards the reading of the reply.
      request.destroy(reason);
      stop.abort(reason);
    };
    request.setTimeout(limits.silenceMs, () => giveUp(`the server fell silent for ${limits.silenceMs} ms.`));
    request.on('response', resolve);
    request.on('error', (error) => reject(reasonOf(stop.signal, error)));
    request.end();
  });
}

/** Looks at what has come, time after time, from the first bytes on: silence before is found otherwise. */
function watchSpeed(socket: Socket, { slowBytes, slowMs }: FetchLimits, onSlow: () => void): () => void {
  let before = 0;
  const timer = setInterval(() => {
    const { bytesRead } = socket;
    if (before > 0 && bytesRead - before < slowBytes) onSlow();
    before = bytesRead;
  }, slowMs).unref();
  return () => clearInterval(timer);
}
