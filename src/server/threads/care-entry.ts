// Where the short-lived thread starts that checks and copies the database. It does its work, tells the result
// and ends.

import { parentPort, workerData } from 'node:worker_threads';
import { careForDatabase } from '../storage/care.ts';
import { giveWay } from './give-way.ts';

interface CareThreadData {
  readonly dataDir: string;
  readonly nowMs: number;
}

// Whoever starts the thread gives it just this.
const { dataDir, nowMs } = workerData as CareThreadData;
giveWay();
parentPort?.postMessage(await careForDatabase(dataDir, nowMs));
