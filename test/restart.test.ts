// A restart hands the service over from one process to the next: the process that was started first stays,
// and acknowledged changes are there afterwards. The tests of the first group share one service; each
// restarts it, and the last one ends it.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { boot, bootFor, type Service } from './running/boot.ts';
import { bindDatagramSocket, type DatagramSocket } from './running/datagram-socket.ts';
import { dnsEnvironment } from './running/dns-service.ts';
import { temporaryFolder } from './running/folder.ts';
import { descriptorsOf, isAlive } from './running/processes.ts';
import { at, describe as shown, listAt } from './running/reply.ts';
import {
  requestRestart,
  assertWrites,
  goneFrom,
  groupsOf,
  holdRestart,
  mainPid,
  restart,
  restartByCommand,
} from './running/restarting.ts';
import { until, within } from './running/waiting.ts';

const env = { SLUICE_WEB_HTTPS: '' };
const password = 'a password for this';
const patienceMs = 60_000;

function gone(pid: number): Promise<true> {
  return until(`Process ${pid} is gone`, () => (isAlive(pid) ? undefined : true));
}

async function restartsOfThreads(service: Service): Promise<readonly unknown[]> {
  const { body } = await service.call('GET', '/api/status', { via: 'control' });
  return listAt(body, 'status', 'threads').map((thread) => [at(thread, 'state'), at(thread, 'restarts')]);
}

describe('a service that is restarted several times:', () => {
  const shared: { service?: Service } = {};
  const theService = (): Service => {
    assert.ok(shared.service, 'The service has not started.');
    return shared.service;
  };
  before(async () => {
    shared.service = await boot({ env: { ...env, SLUICE_AUTH_PASSWORD: password } });
  });
  after(() => shared.service?.kill());

  test('sluice restart replaces the main process and says so', async () => {
    const service = theService();
    const done = await restartByCommand(service);
    const pid = await mainPid(service);
    assert.notEqual(pid, service.pid);
    assert.match(done.out, new RegExp(`process ${pid} serves now`));
    assert.ok(!service.hasEnded(), 'The process that was started has ended.');
  });

  test('a session and a group are kept over a restart', async () => {
    const service = theService();
    const login = await service.call('POST', '/api/auth', { body: { password } });
    const headers = { 'x-ftl-sid': String(at(login.body, 'session', 'sid')) };
    await assertWrites(service, 'from before');
    await restart(service);
    const reply = await service.call('GET', '/api/groups', { headers });
    assert.equal(reply.status, 200, shown(reply));
    assert.ok(reply.text.includes('"from before"'), reply.text);
  });

  test('SIGUSR2 after a restart replaces the threads of the new process', async () => {
    const service = theService();
    const pid = await mainPid(service);
    service.signal('SIGUSR2');
    await until('The api thread was replaced and runs', async () => {
      // The replaced thread may leave a request without a reply.
      const [api] = await restartsOfThreads(service).catch(() => []);
      return JSON.stringify(api) === '["running",1]' ? true : undefined;
    });
    assert.equal(await mainPid(service), pid);
  });

  test('SIGHUP to the process that was started first restarts the service, more than once', async () => {
    const service = theService();
    for (let round = 0; round < 2; round++) {
      const old = await mainPid(service);
      service.signal('SIGHUP');
      await until('Another process serves', async () =>
        (await mainPid(service)) === old ? undefined : true,
      );
      await goneFrom(service, old);
    }
    assert.ok(!service.hasEnded());
  });

  test('a restart leaves no descriptor open', async () => {
    const service = theService();
    const wereOpen = descriptorsOf(await mainPid(service)).length;
    await restart(service);
    const pid = await mainPid(service);
    await until(`Process ${pid} has no more than ${wereOpen} descriptors`, () =>
      descriptorsOf(pid).length <= wereOpen ? true : undefined,
    );
  });

  test('a second restart during a restart is refused with 503', async () => {
    const service = theService();
    const old = await mainPid(service);
    const { restarted, release } = await holdRestart(service);
    const refused = await requestRestart(service);
    release();
    assert.equal(refused.status, 503, shown(refused));
    assert.match(String(at(refused.body, 'error', 'hint')), /A restart is already under way/);
    assert.equal((await restarted).status, 200, service.log());
    await goneFrom(service, old);
    assert.ok((await groupsOf(service)).includes('"from before"'));
  });

  test('SIGTERM to the process that was started first ends the service with code 0', async () => {
    const service = theService();
    const pid = await mainPid(service);
    service.signal('SIGTERM');
    assert.deepEqual(await within('The service ends', patienceMs, service.ended), { code: 0, signal: null });
    await gone(pid);
    assert.ok(!existsSync(service.controlPath), 'The file of the control socket is still there.');
  });
});

describe('signals:', () => {
  test('SIGTERM while the successor starts ends both processes with code 0', async (t) => {
    const service = await bootFor(t, { env });
    const { successor } = await holdRestart(service);
    service.signal('SIGTERM');
    assert.deepEqual(await within('The service ends', patienceMs, service.ended), { code: 0, signal: null });
    await gone(successor);
    assert.ok(!existsSync(service.controlPath), 'The file of the control socket is still there.');
  });

  test('SIGTERM right after a restart ends both processes', async (t) => {
    const service = await bootFor(t, { env });
    assert.equal((await requestRestart(service)).status, 200);
    service.signal('SIGTERM');
    await within('The service ends', patienceMs, service.ended);
    assert.ok(!existsSync(service.controlPath), 'The file of the control socket is still there.');
  });

  test('kill -9 of the main process after a restart ends the service with code 137', async (t) => {
    const service = await bootFor(t, { env });
    await restart(service);
    process.kill(await mainPid(service), 'SIGKILL');
    assert.deepEqual(await within('The service ends', patienceMs, service.ended), {
      code: 137,
      signal: null,
    });
  });

  test('kill -9 of the process that was started first ends the service after a restart', async (t) => {
    const service = await bootFor(t, { env });
    await restart(service);
    const pid = await mainPid(service);
    service.signal('SIGKILL');
    await gone(pid);
    await service.logged(/main: The launcher, the first process of the service, was killed/);
  });
});

describe('systemd', () => {
  test('receives READY=1 when the service is ready, and the pid of each new main process', async (t) => {
    const path = join(temporaryFolder(), 'notify');
    const socket = bindDatagramSocket(path);
    t.after(socket.close);
    const service = await bootFor(t, { env: { ...env, NOTIFY_SOCKET: path } });
    assert.deepEqual(await messagesFrom(socket, 1), ['READY=1']);
    assert.equal((await requestRestart(service)).status, 200);
    const pid = await mainPid(service);
    const [reloading = '', main, ready] = await messagesFrom(socket, 3);
    assert.match(reloading, /^RELOADING=1\nMONOTONIC_USEC=\d+$/);
    assert.deepEqual([main, ready], [`MAINPID=${pid}\nREADY=1`, 'READY=1']);
    // The successor keeps the output streams open, so the end of the process is detected in another way.
    await gone(service.pid);
    process.kill(pid, 'SIGTERM');
    await gone(pid);
    assert.deepEqual(socket.receive(), ['STOPPING=1']);
  });

  test('receives the new main process without READY=1 when dns.listen is taken', async (t) => {
    const path = join(temporaryFolder(), 'notify');
    const [socket, other] = [bindDatagramSocket(path), createSocket('udp4')];
    t.after(socket.close);
    t.after(() => other.close());
    other.bind(0, '127.0.0.1');
    await once(other, 'listening');
    const listen = `127.0.0.1:${other.address().port}`;
    const service = await bootFor(t, {
      env: { ...env, ...dnsEnvironment(9), SLUICE_DNS_LISTEN: listen, NOTIFY_SOCKET: path },
    });
    await service.logged(/Not ready: DNS is not answered/u);
    assert.equal((await requestRestart(service)).status, 200);
    await gone(service.pid);
    const pid = await mainPid(service);
    await service.logged(/Not ready: [^]*Not ready: /u);
    const all = socket.receive();
    assert.ok(all.includes(`MAINPID=${pid}`), all.join('\n'));
    assert.ok(!all.some((one) => /READY=1|RELOADING=1/u.test(one)), all.join('\n'));
    process.kill(pid, 'SIGTERM');
    await gone(pid);
  });
});

/** The next `count` messages. */
async function messagesFrom(socket: DatagramSocket, count: number): Promise<readonly string[]> {
  const all: string[] = [];
  await until(`There are ${count} messages`, () =>
    all.push(...socket.receive()) >= count ? true : undefined,
  );
  return all;
}
