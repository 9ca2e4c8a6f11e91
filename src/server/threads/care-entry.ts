// Where the short-lived thread starts that checks and copies the database, or moves its write-ahead log into
// the file. It does its work, tells the result and ends.

import { parentPort, workerData } from 'node:worker_threads';
import { careForDatabase, moveLog } from '../storage/care.ts';
import { giveWay } from './give-way.ts';

export interface CareThreadData {
  readonly dataDir: string;
  /** When it is checked and copied; without it, the log is moved. */
  readonly nowMs?: number;
}

// Whoever starts the thread gives it just this.
const { dataDir, nowMs } = workerData as CareThreadData;
giveWay();
parentPort?.postMessage(nowMs === undefined ? moveLog(dataDir) : await careForDatabase(dataDir, nowMs));
