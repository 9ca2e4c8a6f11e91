// Where the short-lived thread starts that checks and copies the database, or moves its write-ahead log into
// the file. It does its work, tells the result and ends.

import { parentPort, workerData } from 'node:worker_threads';
import { careForDatabase, moveLog, type CareThreadData } from '#store/database/maintenance';
import { lowerPriority } from '#platform/threads';

// Whoever starts the thread gives it just this.
const { dataDir, nowMs } = workerData as CareThreadData;
lowerPriority();
parentPort?.postMessage(nowMs === undefined ? moveLog(dataDir) : await careForDatabase(dataDir, nowMs));
