// Marks that a thread is loading native calls. koffi must not be terminated meanwhile: its error cannot be
// thrown into a thread that is being terminated, which aborts the whole process (calls that are already
// loaded are safe). So each supervised thread sets a mark beside its heartbeat. The supervisor sets another
// mark before it ends a thread by force; then the thread begins no load, and the supervisor waits for a load
// in progress. Each side writes before it reads, so that one of them always sees the other.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

const checkEveryMs = 5;
/** Loading takes some 10 ms; a thread that hangs while loading is ended after this many checks. */
const maxLooks = 400;
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
 * Whether the thread may load now; false when it is being ended. Calls are declared right after their library
 * was opened, so the mark stays until the current synchronous code has run.
 */
export function mayLoad(): boolean {
  if (mark === undefined) return true;
  const words = mark;
  Atomics.add(words, loadingWord, 1);
  queueMicrotask(() => Atomics.sub(words, loadingWord, 1));
  return Atomics.load(words, endingWord) === 0;
}

/** Ends the thread by force, but not while it loads. */
export async function terminate(worker: Worker, heartbeat: Int32Array): Promise<void> {
  Atomics.store(heartbeat, endingWord, 1);
  for (let look = 0; look < maxLooks && Atomics.load(heartbeat, loadingWord) > 0; look++)
    await sleep(checkEveryMs);
  await worker.terminate();
}
