// Entry of the history thread. It enables the compile cache first, which works only for modules loaded later.

import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority, collectGarbageAfterStart } from '#platform/threads';
import type { HistoryThreadData } from '#history/thread';

// `workerData` is set by HistoryThread in the supervisor.
const data = workerData as HistoryThreadData;
enableCompileCache(data.compileCacheDir);
lowerPriority();
const { runHistory } = await import('#history/thread/run');
collectGarbageAfterStart();
if (parentPort === null) throw new Error('This file is started by the supervisor, not by hand.');
runHistory(data, parentPort);
