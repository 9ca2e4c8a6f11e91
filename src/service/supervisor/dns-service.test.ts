// The end of DNS: while main stops, the api thread may still send requests. They must not start a worker,
// because main would not stop it any more.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '#platform/log';
import type { DnsPlan } from '#control/plan';
import { DnsService } from './dns-service.ts';

// Without workers only these two fields are read.
const plan = { listen: '127.0.0.1:0', workers: 1 } as DnsPlan;

test('a drained DnsService starts no worker on later requests', async (t) => {
  let allocations = 0;
  const service = new DnsService(
    {
      entry: new URL('file:///missing.js'),
      dataDir: '/missing',
      compileCacheDir: '/missing',
      memory: async () => {
        allocations++;
        return assert.fail('A worker was about to start.');
      },
      libc: undefined,
      log: createLog({
        thread: 'main',
        write: () => undefined,
        level: () => 'error',
        format: 'text',
        nowMs: () => 0,
      }),
      nowMs: () => 0,
      onStatus: () => undefined,
    },
    [],
  );
  t.after(() => service.close());
  assert.equal(await service.listen(plan.listen, 'start'), undefined);
  await service.drain(true);
  assert.deepEqual(await service.apply(plan, undefined), { late: [], workers: 0 });
  assert.equal(await service.listen(plan.listen, 'start'), undefined);
  assert.deepEqual([allocations, service.statuses], [0, []]);
});
