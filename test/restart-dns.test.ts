// DNS while processes and threads change: a client that asks all the time sees nothing of it. Names are
// answered from local records, from the cache, and by an upstream that takes its time, so that there are
// always queries in flight.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { startLoad, type LoadResult } from './running/dns-load.ts';
import { askOnce, bootWithDns, dnsEnvironment, localName, type DnsService } from './running/dns-service.ts';
import { startUpstream } from './running/dns-upstream.ts';
import type { Service } from './running/boot.ts';
import { childrenOf, isHeld, threadNamesOf } from './running/processes.ts';
import { runCommand } from './running/program.ts';
import { at, listAt, type Reply } from './running/reply.ts';
import { until } from './running/waiting.ts';

const perSecond = 1000;
/** Of a generator that does not make up for what it missed on a busy machine. */
const askedLeast = 500;
const names = [localName, 'cached.example', 'n#.example', localName];
const upstreamMs = 40;
/** Before a client asks again (resolv.conf(5)); mostly it takes milliseconds. */
const slowestMaxMs = 5_000;
const killingsMax = 5;

const bootUnderLoad = async (t: TestContext): Promise<DnsService> => {
  const upstream = await startUpstream(t, upstreamMs);
  return bootWithDns(t, { env: dnsEnvironment(upstream.port) });
};

const assertAllAnswered = (
  { asked, unanswered, slowestMs, codes, dropped }: LoadResult,
  log: string,
): void => {
  const lost = `${unanswered.length} of ${asked} have no answer, ${dropped} were dropped.\n${log}`;
  // What the system itself threw away, on a machine that is too busy, is no fault of the service.
  assert.ok(unanswered.length <= dropped, lost);
  assert.deepEqual(Object.keys(codes), ['0'], JSON.stringify(codes));
  assert.ok(slowestMs < slowestMaxMs, `The slowest took ${Math.round(slowestMs)} ms.`);
};

describe('a client that asks all the time', () => {
  test('sees nothing of three restarts', async (t) => {
    const { service, port } = await bootUnderLoad(t);
    const stop = startLoad({ port, perSecond, names });
    for (let round = 0; round < 3; round++) {
      await sleep(300);
      const done = await runCommand(['restart'], { dir: service.dir });
      assert.equal(done.code, 0, done.err + service.log());
    }
    await sleep(300);
    const result = await stop();
    assertAllAnswered(result, service.log());
    assert.ok(result.asked > askedLeast, `Only ${result.asked} were asked.`);
  });

  test('sees nothing of dns workers that are ended by force', async (t) => {
    const { service, port } = await bootUnderLoad(t);
    const stop = startLoad({ port, perSecond, names });
    for (let round = 1; round <= 2; round++) {
      await sleep(400);
      service.signal('SIGUSR2');
      await until('Both are replaced and run', async () => {
        // The api thread is replaced too, and may cut the connection.
        const reply = await service.call('GET', '/api/status', { via: 'control' }).catch(() => undefined);
        if (reply === undefined) return undefined;
        const threads = listAt(reply.body, 'status', 'threads').filter((one) =>
          String(at(one, 'name')).startsWith('dns'),
        );
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
    const { service, port } = await bootUnderLoad(t);
    const stop = startLoad({ port, perSecond, names });
    await sleep(300);
    const { successor, restarted } = await holdSuccessor(service);
    process.kill(successor, 'SIGKILL');
    assert.equal((await restarted).status, 503);
    await sleep(300);
    assertAllAnswered(await stop(), service.log());
  });
});

const startsIn = (log: string): number => log.split('main: Starting').length - 1;

type Held = { readonly successor: number; readonly restarted: Promise<Reply> };

/**
 * Begins a restart and holds the new process before it answers: one that is killed takes along what it has
 * asked upstreams for. Where a busy machine lets it come that far, it goes on, and another one is begun.
 */
const holdSuccessor = async (service: Service): Promise<Held> => {
  for (let count = 0; count < killingsMax; count++) {
    const { body } = await service.call('GET', '/api/status', { via: 'control' });
    const main = Number(at(body, 'status', 'pid'));
    const started = startsIn(service.log());
    const restarted = service.call('POST', '/api/action/restartdns', { via: 'control' });
    const successor = await until('The successor is there', () => childrenOf(main)[0]);
    await until('It begins', () => (startsIn(service.log()) > started ? true : undefined));
    process.kill(successor, 'SIGSTOP');
    await until('It is held', () => (isHeld(successor) ? true : undefined));
    if (!threadNamesOf(successor).some((name) => name.startsWith('dns'))) return { successor, restarted };
    process.kill(successor, 'SIGCONT');
    assert.equal((await restarted).status, 200);
    await until('The old process is gone', () => (childrenOf(service.pid).length === 2 ? true : undefined));
  }
  return assert.fail('Each successor was held too late.');
};

test('the cache goes on in the new process', async (t) => {
  const upstream = await startUpstream(t, 0);
  const { service, port } = await bootWithDns(t, { env: dnsEnvironment(upstream.port) });
  const ask = () => Promise.all(Array.from({ length: 20 }, () => askOnce(port, 'kept.example')));
  // Each worker has a cache of its own, and many clients meet both.
  assert.deepEqual(new Set(await ask()), new Set([0]));
  // A busy upstream is asked again, and the question that was one too many is counted, too.
  await sleep(100);
  const before = upstream.asked('kept.example');
  const done = await runCommand(['restart'], { dir: service.dir });
  assert.equal(done.code, 0, done.err);
  await until('The old process is gone', () => (childrenOf(service.pid).length === 2 ? true : undefined));
  assert.deepEqual(new Set(await ask()), new Set([0]));
  assert.ok(before > 0);
  assert.equal(upstream.asked('kept.example'), before);
});
