// Stops a dns worker: nothing more is read, and the queries that wait for an upstream still get their answer.
// Where another process serves already there is time for every upstream to answer; where the service ends,
// less than a second. Queries that wait longer are answered with SERVFAIL.

import type { Engine } from '#engine';
import { steadyClockMs } from '#platform/time';
import type { DnsListeners } from './listeners.ts';

const checkEveryMs = 10;
/** For connections, to deliver the last answers. */
const lastWordsMs = 200;
/** An upstream that has not answered by then will hardly do so. */
export const maxStopMs = 900;
/** Longer than a question to upstreams may take. */
export const maxLeaveMs = 4_300;

export async function drain(engine: Engine, listeners: DnsListeners, maxMs: number): Promise<void> {
  listeners.stopReading();
  const streams = listeners.drainStreams(maxMs + lastWordsMs);
  const endMs = steadyClockMs() + maxMs;
  while (engine.waiting > 0 && steadyClockMs() < endMs)
    await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
  engine.failWaiting();
  await streams;
  listeners.close();
}
