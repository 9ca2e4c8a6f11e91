// Restarts that go wrong: whatever happens to the new process, the old one goes on as before and says why;
// whatever happens to the old one, the new one goes on.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { bootFor, type Service } from './running/boot.ts';
import { temporaryFolder } from './running/folder.ts';
import { childrenOf, descriptorsOf, isAlive } from './running/processes.ts';
import { runCommand } from './running/program.ts';
import { at, describe as shown } from './running/reply.ts';
import { seeded } from './running/seeded.ts';
import { until, within } from './running/waiting.ts';

const env = { SLUICE_WEB_HTTPS: '' };
const { seed, random } = seeded();
const killings = 8;

const mainPid = async (service: Service): Promise<number> =>
  Number(at((await service.call('GET', '/api/status', { via: 'control' })).body, 'status', 'pid'));

const restart = (service: Service) => runCommand(['restart'], { dir: service.dir, env });

const assertWrites = async (service: Service, name: string): Promise<void> => {
  const reply = await service.call('POST', '/api/groups', { body: { name } });
  assert.equal(reply.status, 201, shown(reply) + service.log());
};

describe('a successor that cannot start', () => {
  const table: readonly (readonly [what: string, toml: string, reason: RegExp])[] = [
    ['settings that are wrong', 'web.http = 7\n', /web\.http/],
    ['no TOML at all', '= =\n', /sluice\.toml/],
    ['another data folder', 'storage.dir = "./elsewhere"\n', /data folder has changed/],
  ];
  for (const [what, toml, reason] of table) {
    test(`${what}: the old one goes on and says why`, async (t) => {
      const dir = temporaryFolder();
      // Where the data lies comes from the file, so that the file can change it.
      writeFileSync(join(dir, 'sluice.toml'), `storage.dir = "${dir}"\n`);
      const service = await bootFor(t, { dir, env: { ...env, SLUICE_STORAGE_DIR: undefined } });
      const before = descriptorsOf(service.pid).length;
      writeFileSync(join(dir, 'sluice.toml'), toml);
      const reply = await service.call('POST', '/api/action/restartdns');
      assert.equal(reply.status, 503, shown(reply));
      assert.equal(at(reply.body, 'error', 'key'), 'restart_failed');
      assert.match(String(at(reply.body, 'error', 'hint')), reason);
      // The reply does not wait for the line.
      const isSaid = () => (/Not restarted .* This process goes on/.test(service.log()) ? true : undefined);
      await until('It is logged', isSaid);
      await assertWrites(service, 'afterwards');
      assert.equal(await mainPid(service), service.pid);
      await until('No process is left', () => (childrenOf(service.pid).length === 0 ? true : undefined));
      await until('No descriptor is left open', () =>
        descriptorsOf(service.pid).length <= before + 1 ? true : undefined,
      );
      writeFileSync(join(dir, 'sluice.toml'), `storage.dir = "${dir}"\n`);
      const again = await service.call('POST', '/api/action/restartdns');
      assert.equal(again.status, 200, shown(again));
      rmSync(join(dir, 'elsewhere'), { recursive: true, force: true });
    });
  }

  test('the command says why and fails', async (t) => {
    const dir = temporaryFolder();
    const service = await bootFor(t, { dir, env });
    writeFileSync(join(dir, 'sluice.toml'), 'dns.blockTTL = "long"\n');
    const done = await restart(service);
    assert.equal(done.code, 1);
    assert.match(done.err, /The service was not restarted.*dns\.blockTTL/s);
  });
});

/** Whoever the killed process was talking to loses the connection; nothing was acknowledged there. */
const cutOff = (error: NodeJS.ErrnoException): undefined => {
  if (!['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ENOENT'].includes(error.code ?? '')) throw error;
};

describe('kill -9 in the middle of it', () => {
  test(`of the successor, seed ${seed}: the old one takes writes again, and has lost none`, async (t) => {
    const service = await bootFor(t, { env });
    const acknowledged: string[] = [];
    const stop = { isOver: false };
    const write = async (client: number): Promise<void> => {
      for (let count = 0; !stop.isOver; count++) {
        const name = `client ${client} write ${count}`;
        const reply = await service.call('POST', '/api/groups', { body: { name } }).catch(cutOff);
        if (reply?.status === 201) acknowledged.push(name);
        else if (reply !== undefined) assert.equal(reply.status, 503, shown(reply));
      }
    };
    const clients = [1, 2].map(write);
    for (let round = 0; round < killings; round++) {
      const started = startsIn(service);
      const done = service.call('POST', '/api/action/restartdns', { via: 'control' });
      const successor = await until('The successor is there', () => childrenOf(service.pid)[0]);
      // Every other one at any moment of its start, the others while the databases change hands.
      if (round % 2 === 1) await until('It starts', () => (startsIn(service) > started ? true : undefined));
      await sleep(random() * 500);
      if (await isPast(service, done)) break;
      process.kill(successor, 'SIGKILL');
      const reply = await done.catch(cutOff);
      // Where it was in charge already there is nobody left, and what it has acknowledged is read below.
      if (reply === undefined) await Promise.race([service.ended, sleep(10_000)]);
      if (reply === undefined || reply.status === 200) break;
      assert.match(String(at(reply.body, 'error', 'hint')), /ended by SIGKILL/, shown(reply));
      assert.equal(await mainPid(service), service.pid);
      await assertWrites(service, `round ${round}`);
    }
    stop.isOver = true;
    await Promise.all(clients);
    const running = service.hasEnded() ? await bootFor(t, { dir: service.dir, env }) : service;
    const groups = (await running.call('GET', '/api/groups')).text;
    assert.deepEqual(
      acknowledged.filter((name) => !groups.includes(`"${name}"`)),
      [],
    );
  });

  test('of the old one: the new one goes on', async (t) => {
    const service = await bootFor(t, { env });
    assert.equal((await restart(service)).code, 0);
    await until('The launcher stands', () => (childrenOf(service.pid).length === 2 ? true : undefined));
    const old = await mainPid(service);
    process.kill(old, 'SIGHUP');
    const successor = await until('The successor is there', () => childrenOf(old)[0]);
    process.kill(old, 'SIGKILL');
    // Whoever is asked when it is killed says nothing.
    const isServing = async () => ((await mainPid(service).catch(() => 0)) === successor ? true : undefined);
    await until('The successor serves', isServing);
    await assertWrites(service, 'afterwards');
    assert.ok(!service.hasEnded());
    service.signal('SIGTERM');
    assert.deepEqual(await within('It ends', 30_000, service.ended), { code: 0, signal: null });
    await until('The successor is gone', () => (isAlive(successor) ? undefined : true));
  });
});

test('kill -9 of the process that was started ends all, and nobody says to be ready', async (t) => {
  const service = await bootFor(t, { env });
  process.kill(service.pid, 'SIGHUP');
  const successor = await until('The successor is there', () => childrenOf(service.pid)[0]);
  process.kill(service.pid, 'SIGKILL');
  await within('All ends', 60_000, service.ended);
  await until('The successor is gone', () => (isAlive(successor) ? undefined : true));
  assert.match(service.log(), /main: The process that this service was started as was killed/);
  assert.equal(service.log().split('main: Ready').length, 2, service.log());
});

const startsIn = (service: Service): number => service.log().split('main: Starting').length;

/** Whether the restart was done before anybody was killed. */
const isPast = async (service: Service, done: Promise<unknown>): Promise<boolean> =>
  Promise.race([done.then(() => true), sleep(0, false)]).then((past) => past && !service.hasEnded());
