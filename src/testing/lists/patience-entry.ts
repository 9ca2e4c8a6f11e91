// A compile thread that behaves as on a busy machine: at idle priority it never replies; at any other
// priority it replies with that priority.

import { parentPort, workerData } from 'node:worker_threads';
import type { CompileThreadData } from '../../lists/compile/compile-worker.ts';

// CompileWorker starts the thread with exactly this.
const { priority } = workerData as CompileThreadData;
parentPort?.on('message', () => {
  if (priority !== 'idle') parentPort?.postMessage({ kind: 'failed', reason: priority });
});
