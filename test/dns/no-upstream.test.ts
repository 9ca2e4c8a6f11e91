// Without anybody to ask: what is known here is answered, the rest fails at once and says why. And an
// upstream that leads back to us is found out and not used.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { noNamespace } from '../running/namespace.ts';
import { until } from '../running/waiting.ts';
import { ask, type Seen } from './support/clients.ts';
import { openNetwork } from './support/network.ts';
import { bootDns, mustSetDns, portOf } from './support/service.ts';

const soonMs = 50;
/** Far below the seconds after which a question that nobody answers has failed. */
const loopMs = 500;
const tries = 5;

const tookMs = ({ text }: Seen): number => Number(/Query time: (\d+) msec/u.exec(text)?.[1]);

for (const udp of ['batched', 'plain'] as const)
  test(`no upstream can be reached (dns.udp = ${udp})`, { skip: noNamespace }, async (t) => {
    const { wrap } = await openNetwork(t, []);
    await bootDns(t, {
      wrap,
      env: { SLUICE_DNS_UDP: udp, SLUICE_DNS_LISTEN: '*:53', SLUICE_DNS_HOSTS: '192.0.2.7 nas.lan' },
    });
    const server = { address: '127.0.0.1', port: 53, wrap };
    // The best of a few: the machine may have other things to do.
    const times: number[] = [];
    for (let time = 0; time < tries; time++) {
      const seen = await ask('dig', server, `n${time}.example A`);
      assert.deepEqual([seen.status, seen.extendedErrors], ['SERVFAIL', [23]], seen.text);
      times.push(tookMs(seen));
    }
    assert.ok(Math.min(...times) < soonMs, `It took ${times.join(', ')} ms.`);
    assert.deepEqual((await ask('dig', server, 'nas.lan A')).answer, ['nas.lan. 60 IN A 192.0.2.7']);
  });

/** With two workers, so that the one that hears its question come back need not be the one that asked it. */
test('an upstream that leads back to us is told and not followed', async (t) => {
  const service = await bootDns(t, { env: { SLUICE_DNS_WORKERS: '2' } });
  const port = await portOf(service);
  const server = { address: '127.0.0.1', port };
  await mustSetDns(service, { upstreams: [`127.0.0.1#${port}`] });
  await until('It is told', () => /our own questions back.*a loop/u.exec(service.log()) ?? undefined);
  const times: number[] = [];
  for (let time = 0; time < tries; time++) {
    const seen = await ask('dig', server, `n${time}.example A`);
    assert.equal(seen.status, 'SERVFAIL', seen.text);
    times.push(tookMs(seen));
  }
  assert.ok(Math.max(...times) < loopMs, `It took ${times.join(', ')} ms.`);
});
