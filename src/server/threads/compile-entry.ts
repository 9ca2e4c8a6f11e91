// Where the short-lived thread starts that works on the texts of lists: it compiles, examines or searches,
// tells the result and ends. The compile cache comes first, because it only helps what is loaded after it.

import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { CompileThreadData } from '../lists/compile-threads.ts';
import { giveWay } from './give-way.ts';

// Whoever starts the thread gives it just this.
const { job, compileCacheDir } = workerData as CompileThreadData;
if (job.kind === 'compile' || job.kind === 'examine') giveWay();
if (compileCacheDir !== undefined) enableCompileCache(compileCacheDir);
const { runCompileJob } = await import('../lists/run-compile-job.ts');
parentPort?.postMessage(await runCompileJob(job));
