// Where the thread starts that works on the texts of lists: it compiles, examines or searches, tells the
// result and waits for the next job, until it is ended. The compile cache comes first, because it only helps
// what is loaded after it.

import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { Explained } from '#engine';
import type { CompileJob, CompileThreadData, OfflineRequest } from '#lists/compile';
import { lowerPriority, kernelThread } from '#platform/threads';

// CompileWorker starts the thread with exactly this.
const { priority, compileCacheDir } = workerData as CompileThreadData;
if (priority !== 'normal') lowerPriority();
if (priority === 'idle') parentPort?.postMessage({ thread: kernelThread() });
if (compileCacheDir !== undefined) enableCompileCache(compileCacheDir);
const { runCompileJob } = await import('#lists/compile/run-compile-job');

/** Loaded on demand, because it loads the whole engine. */
async function explain(request: OfflineRequest): Promise<Explained | undefined> {
  const { explainOffline } = await import('#control/explain/explain-offline');
  return explainOffline(request);
}

// What is thrown in here ends the thread, and whoever asked is told.
parentPort?.on('message', (job: CompileJob) => {
  void runCompileJob(job, explain).then((reply) => parentPort?.postMessage(reply));
});
