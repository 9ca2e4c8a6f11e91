// A compile thread that gets no time when it waits for an idle machine, as on one that others keep busy; with
// time of its own it says which turn it was given.

import { parentPort, workerData } from 'node:worker_threads';
import type { CompileThreadData } from '../../lists/compile/compile-worker.ts';

// Whoever starts the thread gives it just this.
const { turn } = workerData as CompileThreadData;
parentPort?.on('message', () => {
  if (turn !== 'idle') parentPort?.postMessage({ kind: 'failed', reason: turn });
});
