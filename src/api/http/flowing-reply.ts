// Replies that begin before their body is complete, over HTTP/1.1 and HTTP/2. A live body is written part by
// part while work continues; a pushed body lasts until either side ends it. Pushing never waits for the
// client: the sender checks how many bytes are unsent. After the end, a client that does not read the last
// bytes in time is disconnected.

import type { ServerResponse } from 'node:http';
import { constants, Http2ServerResponse } from 'node:http2';
import type { PushTarget } from '#contract';
import { liveEnd, type Flowing } from './envelope.ts';
import { isOpen, writeLive } from './live-reply.ts';

/** Resolves at the end of a live body, and at once for a pushed body. */
export async function writeBody(raw: ServerResponse, outcome: Flowing, tookMs: () => number): Promise<void> {
  if ('live' in outcome) return writeLive(raw, outcome.live.parts, () => liveEnd(outcome.live, tookMs()));
  if (raw.req.method === 'HEAD') raw.end();
  else outcome.pushed.start(pushTarget(raw));
  return undefined;
}

/**
 * Aborts a body so that the client recognises it as incomplete: without the last chunk (RFC 9112 section 8),
 * or with a stream error (RFC 9113 section 8.1).
 */
export function abortReply(raw: ServerResponse | Http2ServerResponse): void {
  if (raw instanceof Http2ServerResponse) raw.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else raw.destroy();
}

const maxLastBytesMs = 5_000;

export function pushTarget(raw: ServerResponse, lastMs = maxLastBytesMs): PushTarget {
  return {
    write: (bytes) => {
      if (isOpen(raw)) raw.write(bytes);
    },
    waitingBytes: () => raw.writableLength,
    end: (bytes) => {
      if (!isOpen(raw)) return;
      raw.end(bytes);
      const timer = setTimeout(() => raw.destroy(), lastMs).unref();
      raw.once('close', () => clearTimeout(timer));
    },
    onGone: (listener) => void raw.once('close', listener),
  };
}
