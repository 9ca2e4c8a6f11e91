// What happens to the program from outside while it answers: stopped, killed as a whole, started again.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { boot } from '../running/boot.ts';
import { askOnce } from '../running/dns-service.ts';
import { temporaryFolder } from '../running/folder.ts';
import { freePort } from '../running/free-port.ts';
import { until, within } from '../running/waiting.ts';
import { ask, askAll } from './support/clients.ts';
import { bootDns, portOf } from './support/service.ts';
import { startNamedUpstream, type Upstream } from './support/upstream.ts';

const ok = 0;
/** Far above what it takes, for machines that have other things to do. */
const startMaxMs = 30_000;
const patienceMs = 30_000;
/** Longer than anybody waits. */
const neverMs = 600_000;

const environment = (upstreamPort: number, listen = '127.0.0.1:0') => ({
  SLUICE_WEB_HTTPS: '',
  SLUICE_DNS_WORKERS: '2',
  SLUICE_DNS_LISTEN: listen,
  SLUICE_DNS_HOSTS: '192.0.2.7 nas.lan',
  SLUICE_DNS_UPSTREAMS: `127.0.0.1#${upstreamPort}`,
});

const nobodyPort = 9;

const slowNames = ['slow0.example', 'slow1.example'];

/** Each name for itself: a slow upstream is asked for the first one again before the second comes. */
const bothAreWaiting = async ({ askedFor }: Upstream): Promise<true> =>
  until('The upstream is asked for both', () =>
    slowNames.every((name) => askedFor(name) > 0) ? true : undefined,
  );

test('SIGTERM: what waits for an upstream is answered, over UDP and TCP', async (t) => {
  // A part of the 900 ms that there are for it.
  const upstream = await startNamedUpstream(t, 250);
  const service = await bootDns(t, { env: environment(upstream.port) });
  const server = { address: '127.0.0.1', port: await portOf(service) };
  const asking = ['+notcp', '+tcp'].map((option, index) =>
    ask('dig', { ...server, options: [option] }, `${slowNames[index]} A`),
  );
  await bothAreWaiting(upstream);
  service.signal('SIGTERM');
  for (const [index, seen] of (await Promise.all(asking)).entries())
    assert.deepEqual(seen.answer, [`${slowNames[index]}. 60 IN A 192.0.2.1`], seen.text);
  assert.deepEqual(await within('It ends', patienceMs, service.ended), { code: 0, signal: null });
});

test('SIGTERM: whoever waits for longer than there is time is told that it failed', async (t) => {
  const upstream = await startNamedUpstream(t, neverMs);
  const service = await bootDns(t, { env: environment(upstream.port) });
  const server = { address: '127.0.0.1', port: await portOf(service) };
  const asking = ['+notcp', '+tcp'].map((option, index) =>
    ask('dig', { ...server, options: [option] }, `${slowNames[index]} A`),
  );
  await bothAreWaiting(upstream);
  service.signal('SIGTERM');
  for (const { text } of await Promise.all(asking)) assert.match(text, /SERVFAIL/u);
  assert.deepEqual(await within('It ends', patienceMs, service.ended), { code: 0, signal: null });
});

test('a restart: what waits for a slow upstream is still answered by the old process', async (t) => {
  const upstream = await startNamedUpstream(t, 2_500);
  const service = await bootDns(t, { env: environment(upstream.port) });
  const server = { address: '127.0.0.1', port: await portOf(service) };
  const asking = ['+notcp', '+tcp'].map((option, index) =>
    ask('dig', { ...server, options: [option] }, `${slowNames[index]} A`),
  );
  await bothAreWaiting(upstream);
  const restarted = await service.call('POST', '/api/action/restartdns', { via: 'control' });
  assert.equal(restarted.status, 200);
  for (const [index, seen] of (await Promise.all(asking)).entries())
    assert.deepEqual(seen.answer, [`${slowNames[index]}. 60 IN A 192.0.2.1`], seen.text);
});

test('stopped, it keeps its cache; killed, it answers again soon after it is started', async (t) => {
  const upstream = await startNamedUpstream(t, 0);
  const [dir, port] = [temporaryFolder(), await freePort()];
  const server = { address: '127.0.0.1', port };
  // From many ports, so that each worker has it.
  const questions = Array.from({ length: 24 }, () => 'kept.example A');
  const first = await boot({ dir, env: environment(upstream.port, `127.0.0.1:${port}`) });
  await askAll('dig', server, questions);
  await first.stop();

  const env = environment(nobodyPort, `127.0.0.1:${port}`);
  const second = await boot({ dir, env });
  for (const { answer, text } of await askAll('dig', server, questions))
    assert.match(answer[0] ?? '', /^kept\.example\. \d+ IN A 192\.0\.2\.1$/u, text);
  await second.kill();

  const startedMs = performance.now();
  const third = boot({ dir, env });
  await until('It answers', async () => ((await askOnce(port, 'nas.lan', 500)) === ok ? true : undefined));
  const tookMs = performance.now() - startedMs;
  t.diagnostic(`It answers ${Math.round(tookMs)} ms after its start.`);
  await (await third).stop();
  assert.ok(tookMs < startMaxMs, `It took ${Math.round(tookMs)} ms.`);
});
