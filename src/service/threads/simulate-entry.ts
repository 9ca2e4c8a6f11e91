// Where the short-lived thread starts that tries policies out on stored queries. The compile cache comes
// first, because it only helps what is loaded after it.

import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { SimulateThreadData } from '#control/simulate';
import { lowerPriority } from '#platform/threads';

// Whoever starts the thread gives it just this.
const { job, compileCacheDir } = workerData as SimulateThreadData;
lowerPriority();
if (compileCacheDir !== undefined) enableCompileCache(compileCacheDir);
const { runSimulateJob } = await import('#control/simulate/run-job');
if (parentPort === null) throw new Error('This file is started as a thread, not by hand.');
await runSimulateJob(job, parentPort);
