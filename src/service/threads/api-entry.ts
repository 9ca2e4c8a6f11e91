// Entry of the api thread. It enables the compile cache first, which works only for modules loaded later.

import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { ApiThreadData } from '../messages/messages.ts';
import { collectGarbageAfterStart } from '#platform/threads';

// `workerData` is set by ApiThread in the supervisor.
const data = workerData as ApiThreadData;
enableCompileCache(data.compileCacheDir);
const { runApi } = await import('../api-thread/run.ts');
collectGarbageAfterStart();
if (parentPort === null) throw new Error('This file is started by the supervisor, not by hand.');
await runApi(data, parentPort);
