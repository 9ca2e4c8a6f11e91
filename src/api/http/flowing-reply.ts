// The bodies of replies that begin before all is known: written part by part while work goes on, or pushed
// for as long as both sides like, over HTTP/1.1 and HTTP/2 alike. Nobody is waited for when bytes are pushed;
// whoever does so looks at how much is waiting. The end is for clients who read: one that does not take the
// last bytes in time is cut.

import type { ServerResponse } from 'node:http';
import { constants, Http2ServerResponse } from 'node:http2';
import type { PushTarget } from '#contract';
import { liveEnd, type Flowing } from './envelope.ts';
import { isOpen, writeLive } from './live-reply.ts';

/** Ends when a body that is written part by part does; one that is pushed goes on. */
export const flow = async (raw: ServerResponse, outcome: Flowing, tookMs: () => number): Promise<void> => {
  if ('live' in outcome) return writeLive(raw, outcome.live.parts, () => liveEnd(outcome.live, tookMs()));
  if (raw.req.method === 'HEAD') raw.end();
  else outcome.pushed.start(pushTarget(raw));
  return undefined;
};

/**
 * Ends a body so that nobody takes what has come for the whole: without its last chunk (RFC 9112 section 8),
 * or with an error of its stream (RFC 9113 section 8.1), which closing it quietly would not be.
 */
export const cutOff = (raw: ServerResponse | Http2ServerResponse): void => {
  if (raw instanceof Http2ServerResponse) raw.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else raw.destroy();
};

const lastBytesMaxMs = 5_000;

export const pushTarget = (raw: ServerResponse, lastMs = lastBytesMaxMs): PushTarget => ({
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
});
