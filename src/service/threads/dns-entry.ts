// Where a dns worker starts. The compile cache comes first, because it only helps what is loaded after it.

import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { DnsThreadData } from '../messages/dns-messages.ts';

// The supervisor gives the thread just this.
const data = workerData as DnsThreadData;
enableCompileCache(data.compileCacheDir);
const { runDns } = await import('../dns-worker/run.ts');
if (parentPort === null) throw new Error('This file is started by the supervisor, not by hand.');
await runDns(data, parentPort);
