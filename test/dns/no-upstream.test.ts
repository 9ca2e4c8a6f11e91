// Without an upstream, the service answers what it knows itself, and other queries fail with a reason. An
// upstream that forwards back to the service is detected and not used.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { noNamespace } from '../running/namespace.ts';
import { runQuery, runQueries } from './support/clients.ts';
import { openNetwork } from './support/network.ts';
import { bootDns, mustSetDns, portOf } from './support/service.ts';

for (const udp of ['batched', 'plain'] as const)
  test(
    `without a reachable upstream and dns.udp = ${udp} a query fails and says why`,
    { skip: noNamespace },
    async (t) => {
      const { wrap } = await openNetwork(t, []);
      await bootDns(t, {
        wrap,
        env: { SLUICE_DNS_UDP: udp, SLUICE_DNS_LISTEN: '*:53', SLUICE_DNS_HOSTS: '192.0.2.7 nas.lan' },
      });
      const server = { address: '127.0.0.1', port: 53, wrap };
      const seen = await runQuery('dig', server, 'n.example A');
      assert.deepEqual([seen.status, seen.extendedErrors], ['SERVFAIL', [23]], seen.text);
      assert.deepEqual((await runQuery('dig', server, 'nas.lan A')).answer, ['nas.lan. 60 IN A 192.0.2.7']);
    },
  );

/** With two workers, so that the worker that receives the returning query may be another than its sender. */
test('an upstream that forwards back to the service is reported and not used', async (t) => {
  const service = await bootDns(t, { env: { SLUICE_DNS_WORKERS: '2' } });
  const port = await portOf(service);
  await mustSetDns(service, { upstreams: [`127.0.0.1#${port}`] });
  await service.logged(/our own questions back.*a loop/u);
  const questions = Array.from({ length: 5 }, (_, index) => `n${index}.example A`);
  for (const { status, text } of await runQueries('dig', { address: '127.0.0.1', port }, questions))
    assert.equal(status, 'SERVFAIL', text);
});
