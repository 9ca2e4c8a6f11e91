// Whether a thread is loading native calls just now. koffi must not be ended in the middle of that: its error
// cannot be thrown into a thread that is being terminated, which aborts the whole process (calls that are
// loaded already are safe). So each thread that is watched over marks it in the second word of its heartbeat,
// and whoever ends threads by force waits for a moment.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

const lookEveryMs = 5;
/** Loading takes some 10 ms; one that hangs there is ended all the same. */
const looksMax = 400;
const loadingWord = 1;

export const makeHeartbeat = (): Int32Array => new Int32Array(new SharedArrayBuffer(8));

let mark: Int32Array | undefined;

/** From now on this thread's loads are marked there. */
export const markLoadsIn = (heartbeat: Int32Array): void => {
  mark = heartbeat;
};

/** Calls are declared right after their library was opened, so it lasts until this turn is over. */
export const noteLoad = (): void => {
  if (mark === undefined) return;
  const words = mark;
  Atomics.add(words, loadingWord, 1);
  queueMicrotask(() => Atomics.sub(words, loadingWord, 1));
};

/** Ends the thread by force, and not while it loads. */
export const terminate = async (worker: Worker, heartbeat: Int32Array): Promise<void> => {
  for (let look = 0; look < looksMax && Atomics.load(heartbeat, loadingWord) > 0; look++)
    await sleep(lookEveryMs);
  await worker.terminate();
};
