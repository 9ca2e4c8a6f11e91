// A restart hands the service from one process to the next: whoever started it sees one process that stays,
// clients see no gap, and what was acknowledged is there afterwards.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { bootFor, type Service } from './running/boot.ts';
import type { Via } from './running/client.ts';
import { bindDatagramSocket, type DatagramSocket } from './running/datagram-socket.ts';
import { temporaryFolder } from './running/folder.ts';
import { childrenOf, descriptorsOf, isAlive, isAsleep } from './running/processes.ts';
import { runCommand } from './running/program.ts';
import { at, describe as shown, type Reply } from './running/reply.ts';
import { until, within } from './running/waiting.ts';

const env = { SLUICE_WEB_HTTPS: '' };
const patienceMs = 30_000;
/** Of four clients that write during three restarts, on a slow disk. */
const writesLeast = 40;

const mainPid = async (service: Service): Promise<number> =>
  Number(at((await service.call('GET', '/api/status', { via: 'control' })).body, 'status', 'pid'));

const restartCommand = (service: Service) => runCommand(['restart'], { dir: service.dir, env });

const restart = async (service: Service) => {
  const done = await restartCommand(service);
  if (done.code === 0) await launcherStands(service);
  return done;
};

/**
 * Beside the new process it has the reader of its pipe, and a moment later it waits for that. Until then a
 * signal may end it, or go unheard.
 */
const launcherStands = async (service: Service): Promise<void> => {
  await until('The launcher stands', () => (childrenOf(service.pid).length === 2 ? true : undefined));
  await until('The launcher waits', async () => {
    const wasAsleep = isAsleep(service.pid);
    await sleep(100);
    return wasAsleep && isAsleep(service.pid) ? true : undefined;
  });
};

describe('sluice restart', () => {
  test('puts a new process in the place of the old one, and whoever started it sees the same', async (t) => {
    const service = await bootFor(t, { env });
    const done = await restart(service);
    assert.equal(done.code, 0, done.err + service.log());
    const pid = await mainPid(service);
    assert.notEqual(pid, service.pid);
    assert.match(done.out, new RegExp(`process ${pid} serves now`));
    assert.ok(!service.hasEnded(), 'The process that was started has ended.');
    service.signal('SIGTERM');
    const ended = await within('It ends', patienceMs, service.ended);
    assert.deepEqual(ended, { code: 0, signal: null });
    await until('The new process is gone', () => (isAlive(pid) ? undefined : true));
  });

  test('a signal right behind it is heard, whoever stands there at that moment', async (t) => {
    const service = await bootFor(t, { env });
    const done = await restartCommand(service);
    const pid = Number(/process (\d+) serves now/.exec(done.out)?.[1]);
    service.signal('SIGTERM');
    await within('It ends', patienceMs, service.ended);
    await until('The new process is gone', () => (isAlive(pid) ? undefined : true));
  });

  test('leaves a service whose threads can be replaced as before', async (t) => {
    const service = await bootFor(t, { env });
    assert.equal((await restart(service)).code, 0);
    const pid = await mainPid(service);
    for (let round = 0; round < 2; round++) {
      process.kill(pid, 'SIGUSR2');
      await sleep(300);
      // The thread that is replaced may leave a request without an answer.
      const healthy = async () => {
        const reply = await service.call('GET', '/api/health', { via: 'control' }).catch(() => undefined);
        return reply?.status === 200 ? true : undefined;
      };
      await until('It is well again', healthy);
    }
    assert.equal(await mainPid(service), pid);
  });

  test('under a stream of writes none is lost, and none refused but for a while', async (t) => {
    const service = await bootFor(t);
    const acknowledged: string[] = [];
    const others: string[] = [];
    const note = (name: string, reply: Reply): void => {
      if (reply.status === 201) acknowledged.push(name);
      else if (reply.status !== 503 || reply.headers['retry-after'] === undefined) others.push(shown(reply));
    };
    const stop = { isOver: false };
    const write = async (via: Via, client: number): Promise<void> => {
      for (let count = 0; !stop.isOver; count++) {
        const name = `client ${client} write ${count}`;
        note(name, await service.call('POST', '/api/groups', { body: { name }, via }));
      }
    };
    const clients = (['http', 'https', 'h2', 'control'] as const).map(write);
    for (let round = 0; round < 3; round++) {
      await sleep(200);
      const done = await restart(service);
      assert.equal(done.code, 0, done.err + service.log());
    }
    await sleep(200);
    stop.isOver = true;
    await Promise.all(clients);
    const groups = (await service.call('GET', '/api/groups')).text;
    assert.deepEqual(
      acknowledged.filter((name) => !groups.includes(`"${name}"`)),
      [],
    );
    assert.deepEqual(others, []);
    assert.ok(acknowledged.length > writesLeast, `Only ${acknowledged.length} writes.`);
  });

  test('sessions go on', async (t) => {
    const service = await bootFor(t, { env: { ...env, SLUICE_AUTH_PASSWORD: 'a password for this' } });
    const login = await service.call('POST', '/api/auth', { body: { password: 'a password for this' } });
    const sid = String(at(login.body, 'session', 'sid'));
    assert.equal((await restart(service)).code, 0);
    const reply = await service.call('GET', '/api/groups', { headers: { 'x-ftl-sid': sid } });
    assert.equal(reply.status, 200, shown(reply));
  });

  test('ten in a row leave no process and no descriptor behind', async (t) => {
    const service = await bootFor(t, { env });
    assert.equal((await restart(service)).code, 0);
    const settle = () =>
      until('Only the new process is left', async () => {
        const main = await mainPid(service);
        const children = childrenOf(service.pid);
        return children.includes(main) && children.length === 2 ? main : undefined;
      });
    const before = descriptorsOf(await settle()).length;
    const seen = new Set<number>();
    for (let round = 0; round < 10; round++) {
      const done = await restart(service);
      assert.equal(done.code, 0, done.err + service.log());
      seen.add(await settle());
    }
    assert.equal(seen.size, 10);
    await until('The descriptors are closed', async () =>
      descriptorsOf(await mainPid(service)).length <= before ? true : undefined,
    );
  });

  test('a second one while one is under way is refused in words', async (t) => {
    const service = await bootFor(t, { env });
    // On a busy machine the first may be done before the second has come.
    const refusal = await until('They meet', async () => {
      const both = await Promise.all([restart(service), restart(service)]);
      assert.ok(
        both.some(({ code }) => code === 0),
        JSON.stringify(both),
      );
      return both.find(({ code }) => code !== 0);
    });
    assert.equal(refusal.code, 1);
    assert.match(refusal.err, /A restart is under way already/);
  });
});

describe('signals', () => {
  test('SIGHUP restarts, also the third time', async (t) => {
    const service = await bootFor(t, { env });
    const seen = new Set([service.pid]);
    for (let round = 0; round < 3; round++) {
      service.signal('SIGHUP');
      const isOther = async () => {
        const pid = await mainPid(service);
        return seen.has(pid) ? undefined : pid;
      };
      const pid = await until('Another process serves', isOther);
      seen.add(pid);
      // The old one is gone: beside the new one the launcher has only the reader of its pipe.
      const isDone = (children: readonly number[]) => children.length === 2 && children.includes(pid);
      await until('The old one is gone', () => (isDone(childrenOf(service.pid)) ? true : undefined));
    }
    assert.ok(!service.hasEnded());
  });

  test('SIGTERM in the middle of a restart ends both', async (t) => {
    const service = await bootFor(t, { env });
    service.signal('SIGHUP');
    await until('The successor is there', () => successorOf(service));
    const successor = successorOf(service) ?? 0;
    service.signal('SIGTERM');
    const ended = await within('It ends', patienceMs, service.ended);
    assert.deepEqual(ended, { code: 0, signal: null });
    await until('The successor is gone', () => (isAlive(successor) ? undefined : true));
  });

  test('after a restart, kill -9 of the main process is seen as that', async (t) => {
    const service = await bootFor(t, { env });
    assert.equal((await restart(service)).code, 0);
    process.kill(await mainPid(service), 'SIGKILL');
    assert.deepEqual(await within('It ends', patienceMs, service.ended), { code: 137, signal: null });
  });

  test('after a restart, the end of the process that was started ends the service', async (t) => {
    const service = await bootFor(t, { env });
    assert.equal((await restart(service)).code, 0);
    const pid = await mainPid(service);
    service.signal('SIGKILL');
    await until('The service is gone', () => (isAlive(pid) ? undefined : true));
  });
});

describe('systemd', () => {
  test('is told when it is ready, and of the new process', async (t) => {
    const path = join(temporaryFolder(), 'notify');
    const socket = bindDatagramSocket(path);
    t.after(socket.close);
    const service = await bootFor(t, { env: { ...env, NOTIFY_SOCKET: path } });
    assert.deepEqual(await told(socket, 1), ['READY=1']);
    const done = await restartCommand(service);
    assert.equal(done.code, 0, done.err);
    const pid = await mainPid(service);
    const [reloading = '', main, ready] = await told(socket, 3);
    assert.match(reloading, /^RELOADING=1\nMONOTONIC_USEC=\d+$/);
    assert.deepEqual([main, ready], [`MAINPID=${pid}\nREADY=1`, 'READY=1']);
    assert.deepEqual(await within('The old one ends', patienceMs, waitForExit(service)), true);
    process.kill(pid, 'SIGTERM');
    await until('The new one ends', () => (isAlive(pid) ? undefined : true));
    assert.deepEqual(socket.take(), ['STOPPING=1']);
  });
});

/** The next so many messages. */
const told = async (socket: DatagramSocket, count: number): Promise<readonly string[]> => {
  const all: string[] = [];
  await until(`There are ${count} messages`, () => (all.push(...socket.take()) >= count ? true : undefined));
  return all;
};

/** The new process while a restart is under way. */
const successorOf = (service: Service): number | undefined => childrenOf(service.pid)[0];

/** Its streams stay open in the successor, so the end of the process is seen in another way. */
const waitForExit = (service: Service): Promise<true> =>
  until('The old process ends', () => (isAlive(service.pid) ? undefined : true));
