// DNS as main ends it: the api thread may be in the middle of something then, and what it still asks for must
// start no worker, which nobody would end any more.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '#platform/log';
import type { DnsPlan } from '#control/plan';
import { DnsService } from './dns-service.ts';

// Of the plan only what says how many and where is looked at, as long as there are no workers.
const plan = { listen: '127.0.0.1:0', workers: 1 } as DnsPlan;

test('who is drained starts no worker, whatever comes', async (t) => {
  let wanted = 0;
  const service = new DnsService(
    {
      entry: new URL('file:///missing.js'),
      dataDir: '/missing',
      compileCacheDir: '/missing',
      memory: async () => {
        wanted++;
        return assert.fail('Workers were to be started.');
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
  assert.deepEqual([wanted, service.statuses], [0, []]);
});
