// A compile thread that never finishes with idle priority, as on a machine that is always busy. With another
// priority it replies with the name of that priority.

import { parentPort, workerData } from 'node:worker_threads';
import type { CompileThreadData } from '../../lists/compile/compile-worker.ts';

// The code that starts the thread passes this data.
const { turn } = workerData as CompileThreadData;
parentPort?.on('message', () => {
  if (turn !== 'idle') parentPort?.postMessage({ kind: 'failed', reason: turn });
});
