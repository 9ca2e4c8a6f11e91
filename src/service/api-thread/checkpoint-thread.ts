// Moves a long write-ahead log into the database file in a short-lived thread: on a slow SD card that takes
// seconds, in which the api thread could not answer requests.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { MaintenanceThreadData } from '#store/database/maintenance';
import { threadEntries } from '../entries.ts';

/** Resolves when the thread has ended, also after a failure: the api thread then checks the log itself. */
export async function checkpointInThread(dataDir: string): Promise<void> {
  const workerData: MaintenanceThreadData = { dataDir };
  const worker = new Worker(threadEntries.databaseMaintenance, { name: 'checkpoint', workerData });
  worker.unref();
  worker.on('error', () => undefined);
  await once(worker, 'exit');
}
