// Restarts that fail: whatever happens to the new process, the old one continues as before and says why;
// whatever happens to the old one, the new one continues.

import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { boot, bootFor, type Service } from './running/boot.ts';
import { temporaryFolder } from './running/folder.ts';
import { childrenOf, descriptorsOf, isAlive } from './running/processes.ts';
import { runCommand } from './running/program.ts';
import { at, describe as shown, type Reply } from './running/reply.ts';
import {
  requestRestart,
  assertWrites,
  goneFrom,
  groupsOf,
  holdRestart,
  mainPid,
  restart,
} from './running/restarting.ts';
import { until, within } from './running/waiting.ts';

const env = { SLUICE_WEB_HTTPS: '' };
const patienceMs = 60_000;

function gone(pid: number): Promise<true> {
  return until(`Process ${pid} is gone`, () => (isAlive(pid) ? undefined : true));
}

describe('a failing successor leaves the service unchanged:', () => {
  const dir = temporaryFolder();
  const settings = join(dir, 'sluice.toml');
  // The settings file names the data folder, so that a test can change it there.
  const good = `storage.dir = "${dir}"\n`;
  const shared: { service?: Service } = {};
  const theService = (): Service => {
    assert.ok(shared.service, 'The service has not started.');
    return shared.service;
  };
  before(async () => {
    writeFileSync(settings, good);
    shared.service = await boot({ dir, env: { ...env, SLUICE_STORAGE_DIR: undefined } });
  });
  after(() => shared.service?.kill());

  async function assertOldGoesOn(service: Service, reply: Reply, reason: RegExp): Promise<void> {
    assert.equal(reply.status, 503, shown(reply) + service.log());
    assert.equal(at(reply.body, 'error', 'key'), 'restart_failed');
    assert.match(String(at(reply.body, 'error', 'hint')), reason);
    await assertWrites(service, `after ${reason.source}`);
    assert.equal(await mainPid(service), service.pid);
    await until('No process is left', () => (childrenOf(service.pid).length === 0 ? true : undefined));
  }

  const table: readonly (readonly [what: string, toml: string, reason: RegExp])[] = [
    ['a setting of the wrong type', 'web.http = 7\n', /web\.http/],
    ['a settings file that is not TOML', '= =\n', /sluice\.toml/],
    ['another data folder', 'storage.dir = "./elsewhere"\n', /data folder has changed/],
  ];
  for (const [what, toml, reason] of table) {
    test(`a restart with ${what} gets 503 with the reason`, async () => {
      const service = theService();
      const wereOpen = descriptorsOf(service.pid).length;
      writeFileSync(settings, toml);
      const reply = await requestRestart(service);
      await assertOldGoesOn(service, reply, reason);
      await service.logged(/Not restarted .* This process keeps serving/);
      await until(`No more than ${wereOpen + 1} descriptors are open`, () =>
        descriptorsOf(service.pid).length <= wereOpen + 1 ? true : undefined,
      );
      rmSync(join(dir, 'elsewhere'), { recursive: true, force: true });
    });
  }

  test('sluice restart with an invalid setting says why and ends with exit code 1', async () => {
    writeFileSync(settings, `${good}dns.blockTTL = "long"\n`);
    const done = await runCommand(['restart'], { dir, env });
    assert.equal(done.code, 1);
    assert.match(done.err, /The service was not restarted.*dns\.blockTTL/s);
  });

  test('a restart whose successor is killed while it starts gets 503 with that reason', async () => {
    const service = theService();
    rmSync(settings);
    const { successor, restarted } = await holdRestart(service);
    process.kill(successor, 'SIGKILL');
    await assertOldGoesOn(service, await restarted, /ended by SIGKILL/);
  });

  test('a restart after all these failures succeeds and has every write', async () => {
    const service = theService();
    writeFileSync(settings, good);
    const reply = await requestRestart(service);
    assert.equal(reply.status, 200, shown(reply) + service.log());
    const groups = await groupsOf(service);
    for (const [, , reason] of table) assert.ok(groups.includes(JSON.stringify(`after ${reason.source}`)));
  });
});

describe('a predecessor that is killed while it hands over', () => {
  test('leaves the successor as main process, which SIGTERM ends with code 0 at any moment', async (t) => {
    const service = await bootFor(t, { env });
    await restart(service);
    const old = await mainPid(service);
    const { successor, release } = await holdRestart(service);
    process.kill(old, 'SIGKILL');
    release();
    assert.equal(await mainPid(service), successor);
    // The successor serves before it reports that it is ready, and may be ended before that.
    service.signal('SIGTERM');
    assert.deepEqual(await within('The service ends', patienceMs, service.ended), { code: 0, signal: null });
    await gone(successor);
    assert.ok(!existsSync(service.controlPath), 'The file of the control socket is still there.');
  });

  test('leaves a successor that accepts writes and can be restarted', async (t) => {
    const service = await bootFor(t, { env });
    await restart(service);
    const old = await mainPid(service);
    const { successor, release } = await holdRestart(service);
    process.kill(old, 'SIGKILL');
    release();
    assert.equal(await goneFrom(service, old), successor);
    await assertWrites(service, 'afterwards');
    await restart(service);
    assert.ok((await groupsOf(service)).includes('"afterwards"'));
  });

  test('ends the whole service when it is the process that was started first', async (t) => {
    const service = await bootFor(t, { env });
    const { successor, release } = await holdRestart(service);
    service.signal('SIGKILL');
    await gone(service.pid);
    release();
    await within('All processes end', patienceMs, service.ended);
    await gone(successor);
    assert.match(service.log(), /main: The launcher, the first process of the service, was killed/);
    assert.equal(service.log().split('main: Ready').length, 2, service.log());
  });
});
