// Entry of the short-lived thread that applies policies to stored queries. It enables the compile cache
// first, which works only for modules loaded later.

import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { SimulateThreadData } from '#control/simulate';
import { lowerPriority } from '#platform/threads';

// `workerData` is set by SimulateThreads.
const { job, compileCacheDir } = workerData as SimulateThreadData;
lowerPriority();
if (compileCacheDir !== undefined) enableCompileCache(compileCacheDir);
const { runSimulateJob } = await import('#control/simulate/run-job');
if (parentPort === null) throw new Error('This file is started as a thread, not by hand.');
await runSimulateJob(job, parentPort);
