// DNS during a restart: queries in flight are answered, the cache is kept, and if the new process dies right
// after it has taken over, the old one continues with everything. restart.faults.test.ts has the tests that
// need a stream of queries.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  sendQueryWithRetries,
  bootWithDns,
  dnsEnvironment,
  localName,
  type DnsService,
} from './running/dns-service.ts';
import { startUpstream } from './running/dns-upstream.ts';
import { isAlive } from './running/processes.ts';
import { at } from './running/reply.ts';
import { assertWrites, groupsOf, holdOld, mainPid, restart } from './running/restarting.ts';
import { until, within } from './running/waiting.ts';

const patienceMs = 60_000;
/** The log line of the old process when it continues. */
const backAgain = 'The new process ended while this one was still draining: It was ended by SIGKILL.';

test('the caches of the dns workers are kept over a restart', async (t) => {
  const upstream = await startUpstream(t, 0);
  const env = { ...dnsEnvironment(upstream.port), SLUICE_DNS_WORKERS: '2' };
  const { service, port } = await bootWithDns(t, { env });
  const queryMany = () =>
    Promise.all(Array.from({ length: 20 }, () => sendQueryWithRetries(port, 'kept.example')));
  // Each worker has its own cache, and many clients reach both workers.
  assert.deepEqual(new Set(await queryMany()), new Set([0]));
  await restart(service);
  // The old process is gone, so its retries to a busy upstream are all counted by now.
  const before = upstream.asked('kept.example');
  assert.ok(before > 0);
  assert.deepEqual(new Set(await queryMany()), new Set([0]));
  assert.equal(upstream.asked('kept.example'), before);
});

/** Restarts, and kills the new process once it serves but before the old one is gone. */
async function restartAndKillSuccessor({ service, port }: DnsService, write: string): Promise<void> {
  const timesBefore = service.log().split(backAgain).length;
  const { old, successor } = await holdOld(service);
  await until('The new process serves', async () => {
    const { body } = await service.call('GET', '/api/status', { via: 'control' });
    return at(body, 'status', 'threads', 0, 'state') === 'running' ? true : undefined;
  });
  assert.equal(await mainPid(service), successor);
  await assertWrites(service, write);
  process.kill(successor, 'SIGKILL');
  await until('The new process is dead', () => (isAlive(successor) ? undefined : true));
  process.kill(old, 'SIGCONT');
  await until('The old process has noticed', () => {
    assert.ok(!service.hasEnded(), `The service has ended.\n${service.log()}`);
    return service.log().split(backAgain).length > timesBefore ? true : undefined;
  });
  assert.equal(await mainPid(service), old, service.log());
  assert.equal(await sendQueryWithRetries(port, localName), 0);
}

describe('a successor that is killed once it serves and before its predecessor is gone', () => {
  test('is replaced by its predecessor with every acknowledged write, more than once', async (t) => {
    const upstream = await startUpstream(t, 0);
    const running = await bootWithDns(t, { env: dnsEnvironment(upstream.port) });
    const { service } = running;
    await assertWrites(service, 'before');
    await restartAndKillSuccessor(running, 'to the first');
    await restart(service);
    // From now on the old process has a launcher as its parent.
    await restartAndKillSuccessor(running, 'to the second');
    await restart(service);
    const groups = await groupsOf(service);
    for (const name of ['before', 'to the first', 'to the second'])
      assert.ok(groups.includes(`"${name}"`), `${name} is missing in ${groups}`);
    service.signal('SIGTERM');
    assert.deepEqual(await within('The service ends', patienceMs, service.ended), { code: 0, signal: null });
  });
});
