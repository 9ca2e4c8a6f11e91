// The end of a dns worker that is told to stop: nothing more is read, and those who wait for an upstream
// still get their answer, for a moment.

import type { Engine } from '#engine';
import type { DnsListeners } from './listeners.ts';

const lookEveryMs = 10;
/** An upstream that has not answered by then will hardly do so. */
const drainMaxMs = 900;

export const drain = async (engine: Engine, listeners: DnsListeners): Promise<void> => {
  listeners.stopReading();
  const streams = listeners.drainStreams(drainMaxMs);
  for (let waitedMs = 0; engine.waiting > 0 && waitedMs < drainMaxMs; waitedMs += lookEveryMs)
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  await streams;
  listeners.close();
};
