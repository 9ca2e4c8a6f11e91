// DNS while one process hands over to the next: what was asked before is answered, what is known is kept, and
// a new process that dies right after it has taken over gives everything back. What needs a stream of
// queries is in restart.faults.test.ts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { startLoad } from './running/dns-load.ts';
import { askOnce, bootWithDns, dnsEnvironment, localName, type DnsService } from './running/dns-service.ts';
import { startUpstream, type Upstream } from './running/dns-upstream.ts';
import { isHeld } from './running/processes.ts';
import { describe as shown } from './running/reply.ts';
import { askForRestart, assertWrites, groupsOf, mainPid, restart } from './running/restarting.ts';
import { until, within } from './running/waiting.ts';

const patienceMs = 60_000;
/** Enough for queries to be in flight at any moment. */
const perSecond = 40;

test('what a dns worker has in its cache is there after a restart', async (t) => {
  const upstream = await startUpstream(t, 0);
  const { service, port } = await bootWithDns(t, { env: dnsEnvironment(upstream.port) });
  const ask = () => Promise.all(Array.from({ length: 20 }, () => askOnce(port, 'kept.example')));
  // Each worker has a cache of its own, and many clients meet both.
  assert.deepEqual(new Set(await ask()), new Set([0]));
  await restart(service);
  // The old process is gone: what it asked twice of a busy upstream is counted by now.
  const before = upstream.asked('kept.example');
  assert.ok(before > 0);
  assert.deepEqual(new Set(await ask()), new Set([0]));
  assert.equal(upstream.asked('kept.example'), before);
});

/**
 * Restarts, and kills the new process while the old one still drains: it has queries in flight, for the
 * client asks all the time and the upstream holds its answers.
 */
async function killTheNewOne(
  { service, port }: DnsService,
  upstream: Upstream,
  write: string,
): Promise<void> {
  const old = await mainPid(service);
  // One in four is held; the others are answered, or the upstream would count as dead.
  const names = ['held', 'n', 'n', 'n'].map((kind) => `${kind}-${write.replaceAll(' ', '-')}-#.example`);
  const stop = startLoad({ port, perSecond, names });
  const reply = await askForRestart(service);
  // It sleeps now until the new one has taken a write and is dead.
  process.kill(old, 'SIGSTOP');
  assert.equal(reply.status, 200, shown(reply) + service.log());
  await until('The old process is held', () => (isHeld(old) ? true : undefined));
  const successor = await mainPid(service);
  assert.notEqual(successor, old);
  await assertWrites(service, write);
  process.kill(successor, 'SIGKILL');
  process.kill(old, 'SIGCONT');
  await stop(0);
  upstream.answerNow();
  await service.logged(/The new process ended before this one was gone: It was ended by SIGKILL/);
  assert.equal(await mainPid(service), old, service.log());
  assert.equal(await askOnce(port, localName), 0);
}

describe('a new process that is killed while the old one drains', () => {
  test('gives the service back with every acknowledged write, the first time and later', async (t) => {
    const upstream = await startUpstream(t, 0);
    const running = await bootWithDns(t, { env: dnsEnvironment(upstream.port) });
    const { service } = running;
    await assertWrites(service, 'before');
    await killTheNewOne(running, upstream, 'to the first');
    await restart(service);
    // From now on there is a launcher above the old process, too.
    await killTheNewOne(running, upstream, 'to the second');
    await restart(service);
    const groups = await groupsOf(service);
    for (const name of ['before', 'to the first', 'to the second'])
      assert.ok(groups.includes(`"${name}"`), `${name} is missing in ${groups}`);
    service.signal('SIGTERM');
    assert.deepEqual(await within('It ends', patienceMs, service.ended), { code: 0, signal: null });
  });
});
