// Entry of a dns worker. It enables the compile cache first, which works only for modules loaded later.

import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { DnsThreadData } from '../messages/dns-messages.ts';

// `workerData` is set by DnsWorkers in the supervisor.
const data = workerData as DnsThreadData;
enableCompileCache(data.compileCacheDir);
const { runDns } = await import('../dns-worker/run.ts');
if (parentPort === null) throw new Error('This file is started by the supervisor, not by hand.');
await runDns(data, parentPort);
