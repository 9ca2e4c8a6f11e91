// Where the api thread starts. The compile cache comes first, because it only helps what is loaded after it.

import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { ApiThreadData } from '../messages/messages.ts';
import { collectGarbageAfterStart } from '#platform/threads';

// The supervisor gives the thread just this.
const data = workerData as ApiThreadData;
enableCompileCache(data.compileCacheDir);
const { runApi } = await import('../api-thread/run.ts');
collectGarbageAfterStart();
if (parentPort === null) throw new Error('This file is started by the supervisor, not by hand.');
await runApi(data, parentPort);
