// A restart while queries wait for a slow upstream: the old process answers them. A query waits about four
// seconds at most, so the machine must restart the service within that time.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { until } from '../running/waiting.ts';
import { runQuery } from './support/clients.ts';
import { bootDns, portOf } from './support/service.ts';
import { startNamedUpstream } from './support/upstream.ts';

test('queries that wait for a slow upstream during a restart are answered by the old process', async (t) => {
  const upstream = await startNamedUpstream(t, 2_500);
  const service = await bootDns(t, {
    env: { SLUICE_DNS_WORKERS: '4', SLUICE_DNS_UPSTREAMS: `127.0.0.1#${upstream.port}` },
  });
  const server = { address: '127.0.0.1', port: await portOf(service) };
  const names = ['slow0.example', 'slow1.example'];
  const asking = ['+notcp', '+tcp'].map((option, index) =>
    runQuery('dig', { ...server, options: [option] }, `${names[index]} A`),
  );
  await until('The upstream has received both queries', () =>
    names.every((name) => upstream.queriesFor(name) > 0) ? true : undefined,
  );
  const restarted = await service.call('POST', '/api/action/restartdns', { via: 'control' });
  assert.equal(restarted.status, 200);
  for (const [index, seen] of (await Promise.all(asking)).entries())
    assert.deepEqual(seen.answer, [`${names[index]}. 60 IN A 192.0.2.1`], `${seen.text}\n${service.log()}`);
});
