// A change of dns.listen that cannot be made leaves everything as it was: nobody who asks notices.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe } from '../running/reply.ts';
import { underLoad } from './support/load.ts';
import { assertUntroubled, bootDns, listeningOf, mustSetDns, portOf, setDns } from './support/service.ts';

const perSecond = 400;

for (const isFixed of [true, false])
  test(`a refused change, with ${isFixed ? 'a fixed' : 'any free'} port`, async (t) => {
    const service = await bootDns(t, { env: { SLUICE_DNS_WORKERS: '2', SLUICE_DNS_LISTEN: undefined } });
    await mustSetDns(service, { listen: '127.0.0.1:0', hosts: ['192.0.2.7 nas.lan'] });
    const port = await portOf(service);
    if (isFixed) await mustSetDns(service, { listen: `127.0.0.1:${port}` });
    await underLoad(service, { port, perSecond, names: ['nas.lan'] }, async () => {
      for (const listen of ['203.0.113.99:5353', `127.0.0.1:${port},203.0.113.99:5353`]) {
        const reply = await setDns(service, { listen });
        assert.ok([400, 402].includes(reply.status), describe(reply));
        assert.deepEqual(await listeningOf(service), [{ address: '127.0.0.1', port }]);
        await sleep(100);
      }
    });
    await assertUntroubled(service);
  });
