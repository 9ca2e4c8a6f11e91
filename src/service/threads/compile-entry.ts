// Entry of the thread that works on the texts of lists: it compiles, examines or searches them, posts the
// result and waits for the next job until it is terminated. It enables the compile cache first, which works
// only for modules loaded later.

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

/** Imported on demand, because it loads the whole engine. */
async function explain(request: OfflineRequest): Promise<Explained | undefined> {
  const { explainOffline } = await import('#control/explain/explain-offline');
  return explainOffline(request);
}

// An exception ends the thread, and CompileThreads then fails the job.
parentPort?.on('message', (job: CompileJob) => {
  void runCompileJob(job, explain).then((reply) => parentPort?.postMessage(reply));
});
