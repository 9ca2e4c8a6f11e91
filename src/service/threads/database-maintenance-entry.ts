// Entry of the short-lived thread that checks and copies the database, or moves its write-ahead log into the
// file. It posts the result and ends.

import { parentPort, workerData } from 'node:worker_threads';
import { maintainDatabase, moveLog, type MaintenanceThreadData } from '#store/database/maintenance';
import { lowerPriority } from '#platform/threads';

// `workerData` is set by DatabaseMaintenance and checkpointInThread.
const { dataDir, nowMs } = workerData as MaintenanceThreadData;
lowerPriority();
parentPort?.postMessage(nowMs === undefined ? moveLog(dataDir) : await maintainDatabase(dataDir, nowMs));
