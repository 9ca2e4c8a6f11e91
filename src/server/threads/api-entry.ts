// Where the api thread starts. The compile cache comes first, because it only helps what is loaded after it.

import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { ApiThreadData } from './messages.ts';
import { tidyUpOnceSettled } from './tidy-up.ts';

// The supervisor gives the thread just this.
const data = workerData as ApiThreadData;
enableCompileCache(data.compileCacheDir);
const { runApi } = await import('../api/run.ts');
tidyUpOnceSettled();
if (parentPort === null) throw new Error('This file is started by the supervisor, not by hand.');
await runApi(data, parentPort);
