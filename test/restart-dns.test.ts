// DNS while processes and threads change: a client that asks all the time sees nothing of it. Names are
// answered from local records, from the cache, and by an upstream that takes its time, so that there are
// always queries in flight.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { bootFor, type Service } from './running/boot.ts';
import { startLoad, type LoadResult } from './running/dns-load.ts';
import { startUpstream } from './running/dns-upstream.ts';
import { childrenOf } from './running/processes.ts';
import { runCommand } from './running/program.ts';
import { at, listAt } from './running/reply.ts';
import { until } from './running/waiting.ts';

const perSecond = 1_000;
const names = ['nas.lan', 'cached.example', 'n#.example', 'nas.lan'];
const upstreamMs = 40;
const slowestMaxMs = 1_000;

const bootWithDns = async (t: TestContext): Promise<{ service: Service; port: number }> => {
  const upstream = await startUpstream(t, upstreamMs);
  const env = {
    SLUICE_WEB_HTTPS: '',
    SLUICE_DNS_LISTEN: '127.0.0.1:0',
    SLUICE_DNS_HOSTS: '192.0.2.7 nas.lan',
    SLUICE_DNS_UPSTREAMS: `127.0.0.1#${upstream.port}`,
    SLUICE_DNS_WORKERS: '2',
    // The load is more than what one client may ask for; loopback is exempt, and this makes it certain.
    SLUICE_DNS_RATELIMIT_COUNT: '0',
  };
  const service = await bootFor(t, { env });
  const { body } = await service.call('GET', '/api/status', { via: 'control' });
  const rows = listAt(body, 'status', 'listeners');
  const dns = rows.find((row) => at(row, 'setting') === 'dns.listen');
  return { service, port: Number(at(dns, 'port')) };
};

const assertAllAnswered = ({ asked, unanswered, slowestMs, codes }: LoadResult, log: string): void => {
  assert.deepEqual(unanswered, [], `${unanswered.length} of ${asked} have no answer.\n${log}`);
  assert.deepEqual(Object.keys(codes), ['0'], JSON.stringify(codes));
  assert.ok(slowestMs < slowestMaxMs, `The slowest took ${Math.round(slowestMs)} ms.`);
};

describe('a client that asks all the time', () => {
  test('sees nothing of three restarts', async (t) => {
    const { service, port } = await bootWithDns(t);
    const stop = startLoad({ port, perSecond, names });
    for (let round = 0; round < 3; round++) {
      await sleep(300);
      const done = await runCommand(['restart'], { dir: service.dir });
      assert.equal(done.code, 0, done.err + service.log());
    }
    await sleep(300);
    const result = await stop();
    assertAllAnswered(result, service.log());
    assert.ok(result.asked > 3 * perSecond, `Only ${result.asked} were asked.`);
  });

  test('sees nothing of dns workers that are ended by force', async (t) => {
    const { service, port } = await bootWithDns(t);
    const stop = startLoad({ port, perSecond, names });
    for (let round = 1; round <= 3; round++) {
      await sleep(400);
      service.signal('SIGUSR2');
      await until('Both are replaced and run', async () => {
        // The api thread is replaced too, and may cut the connection.
        const reply = await service.call('GET', '/api/status', { via: 'control' }).catch(() => undefined);
        if (reply === undefined) return undefined;
        const threads = listAt(reply.body, 'status', 'threads').filter((one) => at(one, 'name') !== 'api');
        const isBack = threads.every(
          (one) => at(one, 'restarts') === round && at(one, 'state') === 'running',
        );
        return isBack && threads.length === 2 ? true : undefined;
      });
    }
    await sleep(300);
    assertAllAnswered(await stop(), service.log());
  });

  test('sees nothing of a restart that fails', async (t) => {
    const { service, port } = await bootWithDns(t);
    const stop = startLoad({ port, perSecond, names });
    await sleep(300);
    const begun = service.call('POST', '/api/action/restartdns', { via: 'control' });
    const successor = await until('The successor is there', () => childrenOf(service.pid)[0]);
    await sleep(700);
    process.kill(successor, 'SIGKILL');
    await begun;
    await sleep(300);
    assertAllAnswered(await stop(), service.log());
  });
});
