// Whether a thread is loading native calls just now. koffi must not be ended in the middle of that: its error
// cannot be thrown into a thread that is being terminated, which aborts the whole process (calls that are
// loaded already are safe). So each thread that is watched over marks it beside its heartbeat, and whoever
// ends threads by force says so there, after which none begins to load, and waits for a moment. Each side
// writes before it looks, so that one of them always sees the other.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

const lookEveryMs = 5;
/** Loading takes some 10 ms; one that hangs there is ended all the same. */
const looksMax = 400;
const loadingWord = 1;
const endingWord = 2;

export function makeHeartbeat(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(12));
}

let mark: Int32Array | undefined;

/** From now on this thread's loads are marked there. */
export function markLoadsIn(heartbeat: Int32Array): void {
  mark = heartbeat;
}

/**
 * Whether the thread may load now; it is being ended otherwise. Calls are declared right after their library
 * was opened, so it lasts until this turn is over.
 */
export function mayLoad(): boolean {
  if (mark === undefined) return true;
  const words = mark;
  Atomics.add(words, loadingWord, 1);
  queueMicrotask(() => Atomics.sub(words, loadingWord, 1));
  return Atomics.load(words, endingWord) === 0;
}

/** Ends the thread by force, and not while it loads. */
export async function terminate(worker: Worker, heartbeat: Int32Array): Promise<void> {
  Atomics.store(heartbeat, endingWord, 1);
  for (let look = 0; look < looksMax && Atomics.load(heartbeat, loadingWord) > 0; look++)
    await sleep(lookEveryMs);
  await worker.terminate();
}
