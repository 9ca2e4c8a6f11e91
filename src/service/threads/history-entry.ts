// Where the history thread starts. The compile cache comes first, because it only helps what is loaded after
// it.

import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority, collectGarbageAfterStart } from '#platform/threads';
import type { HistoryThreadData } from '#history/thread';

// The supervisor gives the thread just this.
const data = workerData as HistoryThreadData;
enableCompileCache(data.compileCacheDir);
lowerPriority();
const { runHistory } = await import('#history/thread/run');
collectGarbageAfterStart();
if (parentPort === null) throw new Error('This file is started by the supervisor, not by hand.');
runHistory(data, parentPort);
