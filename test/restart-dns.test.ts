// DNS while one process hands over to the next: what was asked before is answered, what is known is kept, and
// a new process that dies right after it has taken over gives everything back. What needs a stream of
// queries is in restart.faults.test.ts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { askAgain, bootWithDns, dnsEnvironment, localName, type DnsService } from './running/dns-service.ts';
import { startUpstream } from './running/dns-upstream.ts';
import { isAlive } from './running/processes.ts';
import { at } from './running/reply.ts';
import { assertWrites, groupsOf, holdOld, mainPid, restart } from './running/restarting.ts';
import { until, within } from './running/waiting.ts';

const patienceMs = 60_000;
/** What the old process says when it goes on. */
const backAgain = 'The new process ended while this one was still draining: It was ended by SIGKILL.';

test('what a dns worker has in its cache is there after a restart', async (t) => {
  const upstream = await startUpstream(t, 0);
  const env = { ...dnsEnvironment(upstream.port), SLUICE_DNS_WORKERS: '2' };
  const { service, port } = await bootWithDns(t, { env });
  const ask = () => Promise.all(Array.from({ length: 20 }, () => askAgain(port, 'kept.example')));
  // Each worker has a cache of its own, and many clients meet both.
  assert.deepEqual(new Set(await ask()), new Set([0]));
  await restart(service);
  // The old process is gone: what it asked twice of a busy upstream is counted by now.
  const before = upstream.asked('kept.example');
  assert.ok(before > 0);
  assert.deepEqual(new Set(await ask()), new Set([0]));
  assert.equal(upstream.asked('kept.example'), before);
});

/** Restarts, and kills the new process when it serves, before the old one is gone. */
async function killTheNewOne({ service, port }: DnsService, write: string): Promise<void> {
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
  assert.equal(await askAgain(port, localName), 0);
}

describe('a new process that is killed when it serves and the old one is still there', () => {
  test('gives the service back with every acknowledged write, the first time and later', async (t) => {
    const upstream = await startUpstream(t, 0);
    const running = await bootWithDns(t, { env: dnsEnvironment(upstream.port) });
    const { service } = running;
    await assertWrites(service, 'before');
    await killTheNewOne(running, 'to the first');
    await restart(service);
    // From now on there is a launcher above the old process, too.
    await killTheNewOne(running, 'to the second');
    await restart(service);
    const groups = await groupsOf(service);
    for (const name of ['before', 'to the first', 'to the second'])
      assert.ok(groups.includes(`"${name}"`), `${name} is missing in ${groups}`);
    service.signal('SIGTERM');
    assert.deepEqual(await within('It ends', patienceMs, service.ended), { code: 0, signal: null });
  });
});
