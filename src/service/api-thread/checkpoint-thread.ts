// Moves a long write-ahead log into the database file in a short-lived thread: on a slow card that takes
// seconds, in which the api thread would answer nobody.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CareThreadData } from '#store/database/maintenance';
import { threadEntries } from '../entries.ts';

/** Resolves when the thread has ended, whatever came of it: the api thread looks at the log itself. */
export async function checkpointInThread(dataDir: string): Promise<void> {
  const workerData: CareThreadData = { dataDir };
  const worker = new Worker(threadEntries.care, { name: 'checkpoint', workerData });
  worker.unref();
  worker.on('error', () => undefined);
  await once(worker, 'exit');
}
