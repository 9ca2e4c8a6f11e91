// Restarts with random moments, load and many rounds: processes killed at any moment, signals at any moment,
// streams of writes and of queries. The moments come from a seed; each failure prints it, with the log.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { bootFor, type Service } from './running/boot.ts';
import type { Via } from './running/client.ts';
import { startLoad, type LoadResult } from './running/dns-load.ts';
import { bootWithDns, dnsEnvironment, localName, type DnsService } from './running/dns-service.ts';
import { startUpstream } from './running/dns-upstream.ts';
import { childrenOf, descriptorsOf, isAlive } from './running/processes.ts';
import { at, describe as shown, listAt, type Reply } from './running/reply.ts';
import {
  requestRestart,
  assertWrites,
  groupsOf,
  holdRestart,
  mainPid,
  restart,
} from './running/restarting.ts';
import { seeded } from './running/seeded.ts';
import { until, within } from './running/waiting.ts';

const env = { SLUICE_WEB_HTTPS: '' };
const { seed, random } = seeded();
const patienceMs = 60_000;
const dnsWorkers = 3;
const killings = 10;
const signalsEach = 2;
/** Longer than a whole start usually takes. */
const killWithinMs = 700;
const signalWithinMs = 60;
/** More than the former timeout of a handover, and less than the allowed silence. */
const slowStartMs = 12_000;

function stateOf(service: Service, round: number): string {
  return `seed ${seed}, round ${round}, ended: ${service.hasEnded()}, log:\n${service.log()}`;
}

const ended = /ended by SIG(?:KILL|TERM)|ended with code 0/;

/** A client of a killed process loses its connection; that write was not acknowledged. */
function cutOff(error: NodeJS.ErrnoException): undefined {
  if (!['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ENOENT'].includes(error.code ?? '')) throw error;
}

type Writers = { readonly acknowledged: readonly string[]; readonly end: () => Promise<void> };

/** Clients that write until they are stopped, each over its transport; any status but 201 or 503 fails. */
function startWriters(service: Service, ways: readonly Via[], round: number): Writers {
  const acknowledged: string[] = [];
  const stop = { isOver: false };
  const write = async (via: Via, client: number): Promise<void> => {
    for (let count = 0; !stop.isOver && !service.hasEnded(); count++) {
      const name = `round ${round} client ${client} write ${count}`;
      const reply = await service.call('POST', '/api/groups', { body: { name }, via }).catch(cutOff);
      if (reply?.status === 201) acknowledged.push(name);
      else if (reply !== undefined) assert.equal(reply.status, 503, shown(reply));
      // A refused client retries a little later.
      if (reply?.status !== 201) await sleep(20);
    }
  };
  const clients = Promise.all(ways.map(write));
  return {
    acknowledged,
    end: async () => {
      stop.isOver = true;
      await clients;
    },
  };
}

async function assertNoneLost(service: Service, acknowledged: readonly string[], state: string) {
  const groups = await groupsOf(service);
  const lost = acknowledged.filter((name) => !groups.includes(`"${name}"`));
  assert.deepEqual(lost, [], state);
}

describe('a successor that ends at any moment by kill -9 or SIGTERM', () => {
  test(`loses no acknowledged write in ${killings} rounds, seed ${seed}`, async (t) => {
    let service = await bootFor(t, { env });
    for (let round = 0; round < killings; round++) {
      const { acknowledged, end } = startWriters(service, ['http', 'control'], round);
      const old = await mainPid(service);
      const done = requestRestart(service).catch(cutOff);
      const successor = await until('The successor is started', () => childrenOf(old)[0]);
      await sleep(random() * killWithinMs);
      if (isAlive(successor)) process.kill(successor, round % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      const reply = await done;
      const state = stateOf(service, round);
      if (reply !== undefined && reply.status !== 200)
        assert.match(String(at(reply.body, 'error', 'hint')), ended, shown(reply) + state);
      // If the old process was gone already, the service has ended; otherwise it continues.
      await until('The service continues or has ended', async () => {
        if (service.hasEnded()) return true;
        const health = await service.call('GET', '/api/health', { via: 'control' }).catch(cutOff);
        return health?.status === 200 && !isAlive(successor) ? true : undefined;
      });
      await end();
      if (service.hasEnded()) service = await bootFor(t, { dir: service.dir, env });
      await assertNoneLost(service, acknowledged, state);
    }
  });
});

describe('a signal right after a restart:', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    test(`${signal} ends the service at any moment, ${signalsEach} rounds, seed ${seed}`, async (t) => {
      for (let round = 0; round < signalsEach; round++) {
        const service = await bootFor(t, { env });
        assert.equal((await requestRestart(service)).status, 200, stateOf(service, round));
        await sleep(random() * signalWithinMs);
        service.signal(signal);
        await within(`It ends (${stateOf(service, round)})`, patienceMs, service.ended);
      }
    });

  for (const signal of ['SIGHUP', 'SIGUSR2'] as const)
    test(`${signal} ends no service at any moment, ${signalsEach} rounds, seed ${seed}`, async (t) => {
      for (let round = 0; round < signalsEach; round++) {
        const service = await bootFor(t, { env });
        assert.equal((await requestRestart(service)).status, 200, stateOf(service, round));
        await sleep(random() * signalWithinMs);
        service.signal(signal);
        await until('The first process is the launcher', () =>
          childrenOf(service.pid).length >= 2 || service.hasEnded() ? true : undefined,
        );
        assert.ok(!service.hasEnded(), stateOf(service, round));
        const healthy = async () => (await service.call('GET', '/api/health', { via: 'control' })).status;
        await until('The service is healthy', async () =>
          (await healthy().catch(cutOff)) === 200 ? true : undefined,
        );
        await service.stop();
      }
    });
});

describe('restarts in a row', () => {
  test('three during a stream of writes lose none and refuse writes only for a moment', async (t) => {
    const service = await bootFor(t);
    const { acknowledged, end } = startWriters(service, ['http', 'https', 'h2', 'control'], 0);
    for (let round = 1; round <= 3; round++) {
      const before = acknowledged.length;
      await until('Writes continue', () => (acknowledged.length > before + 10 ? true : undefined));
      await restart(service);
    }
    const before = acknowledged.length;
    await until('Writes continue', () => (acknowledged.length > before + 10 ? true : undefined));
    await end();
    await assertNoneLost(service, acknowledged, stateOf(service, 0));
  });

  test('ten leave no extra process and no extra descriptor', async (t) => {
    const service = await bootFor(t, { env });
    await restart(service);
    const before = descriptorsOf(await mainPid(service)).length;
    const seen = new Set<number>();
    for (let round = 0; round < 10; round++) {
      await restart(service);
      seen.add(await mainPid(service));
    }
    assert.equal(seen.size, 10);
    const pid = await mainPid(service);
    await until(`Process ${pid} has no more than ${before} descriptors (${service.log()})`, () =>
      descriptorsOf(pid).length <= before ? true : undefined,
    );
  });

  test(`a successor that takes ${slowStartMs / 1000} s to start succeeds`, async (t) => {
    const service = await bootFor(t, { env });
    const { restarted, release } = await holdRestart(service);
    await sleep(slowStartMs);
    await assertWrites(service, 'meanwhile');
    release();
    const reply = await restarted;
    assert.equal(reply.status, 200, shown(reply) + service.log());
  });
});

describe('a client that sends DNS queries all the time', () => {
  const perSecond = 500;
  const names = [localName, 'cached.example', 'n#.example', localName];
  const upstreamMs = 40;

  async function bootUnderLoad(t: TestContext): Promise<DnsService> {
    const upstream = await startUpstream(t, upstreamMs);
    return bootWithDns(t, {
      env: { ...dnsEnvironment(upstream.port), SLUICE_DNS_WORKERS: String(dnsWorkers) },
    });
  }

  function assertAllAnswered({ asked, unanswered, codes, dropped }: LoadResult, service: Service): void {
    const lost = `${unanswered.length} of ${asked} have no answer, ${dropped} were dropped.`;
    // Packets that the kernel dropped on a busy machine are not the service's fault.
    assert.ok(unanswered.length <= dropped, `${lost} ${stateOf(service, 0)}`);
    assert.deepEqual(Object.keys(codes), ['0'], JSON.stringify(codes));
  }

  test('gets every answer over three restarts', async (t) => {
    const { service, port } = await bootUnderLoad(t);
    const stop = startLoad({ port, perSecond, names });
    for (let round = 0; round < 3; round++) await restart(service);
    assertAllAnswered(await stop(), service);
  });

  test('gets every answer over a restart that fails', async (t) => {
    const { service, port } = await bootUnderLoad(t);
    const stop = startLoad({ port, perSecond, names });
    const { successor, restarted } = await holdRestart(service);
    process.kill(successor, 'SIGKILL');
    assert.equal((await restarted).status, 503);
    assertAllAnswered(await stop(), service);
  });

  test('gets every answer while dns workers are killed twice', async (t) => {
    const { service, port } = await bootUnderLoad(t);
    const stop = startLoad({ port, perSecond, names });
    for (let round = 1; round <= 2; round++) {
      service.signal('SIGUSR2');
      await until(`All dns workers run and were replaced ${round} times`, async () => {
        // The api thread is replaced too, and may cut the connection.
        const reply = await service.call('GET', '/api/status', { via: 'control' }).catch(cutOff);
        return reply !== undefined && areReplaced(reply, round) ? true : undefined;
      });
    }
    assertAllAnswered(await stop(), service);
  });
});

function areReplaced({ body }: Reply, times: number): boolean {
  const workers = listAt(body, 'status', 'threads').filter((one) =>
    String(at(one, 'name')).startsWith('dns'),
  );
  const isBack = (one: unknown) => at(one, 'restarts') === times && at(one, 'state') === 'running';
  return workers.length === dnsWorkers && workers.every(isBack);
}
