// A disk that fills up while the service runs, on a small file system mounted for the test (which needs
// root): writes get 503 with the envelope and Retry-After, reads continue, and writes work again once there
// is space.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';

import { fillDisk, mountSmallDisk, needsRoot } from '#testing/platform/small-disk';
import { bootFor, type Service } from './running/boot.ts';
import { sendQueryWithRetries, dnsEnvironment, dnsPort, localName } from './running/dns-service.ts';
import { atEnd } from './running/leftovers.ts';
import { launch, runCommand } from './running/program.ts';
import { assertError, at, listAt, type Reply } from './running/reply.ts';
import { until, within } from './running/waiting.ts';

const env = { SLUICE_WEB_HTTPS: '' };

describe('a full disk', { skip: needsRoot }, () => {
  test('writes get 503, reads are served, and writes work again once there is space', async (t) => {
    const dir = smallDisk(32);
    const service = await bootFor(t, { dir, env });
    const kept: string[] = [];
    const write = async (name: string): Promise<Reply> => {
      const body = { name, comment: 'x'.repeat(4_000) };
      const reply = await service.call('POST', '/api/groups', { body });
      if (reply.status === 201) kept.push(name);
      return reply;
    };
    assert.equal((await write('before')).status, 201);
    const freeSpace = fill(dir);
    // Space that the journal already has may fit a few more writes.
    const refused = await until('A write is refused', async () => {
      const reply = await write(`while full ${kept.length}`);
      return reply.status === 201 ? undefined : reply;
    });
    assertRefused(refused);
    await assertReadable(service, kept);
    for (const [method, path, body] of [
      ['PUT', '/api/groups/before', { comment: 'changed' }],
      ['PATCH', '/api/config', { config: { dns: { blockTTL: 99 } } }],
      ['PUT', '/api/config/dns/hosts/192.0.2.1%20a.lan', undefined],
    ] as const) {
      const reply = await service.call(method, path, body === undefined ? {} : { body });
      // A small change may still fit; then it is stored as usual.
      if (reply.status >= 300) assertRefused(reply);
    }
    await assertReadable(service, kept);

    freeSpace();
    await until('Writing works again', async () => {
      const reply = await write(`after ${kept.length}`);
      if (reply.status === 201) return true;
      assertRefused(reply);
      return undefined;
    });
    assert.equal((await service.call('GET', '/api/health')).status, 200);
    await service.stop();
    const again = await bootFor(t, { dir, env });
    await assertReadable(again, kept);
    assert.equal(at((await again.call('GET', '/api/status')).body, 'status', 'database', 'state'), 'ok');
  });

  test('GET /api/health and /api/status report the database while the disk is full', async (t) => {
    const dir = smallDisk(32);
    const service = await bootFor(t, { dir, env });
    const freeSpace = fill(dir);
    await until('A write is refused', async () => {
      const body = { name: `n${performance.now()}`, comment: 'x'.repeat(4_000) };
      return (await service.call('POST', '/api/groups', { body })).status === 503 ? true : undefined;
    });
    const health = await service.call('GET', '/api/health');
    assert.equal(health.status, 200, health.text);
    assert.equal(at(health.body, 'status'), 'degraded');
    assert.equal(at(health.body, 'degraded', 0, 'part'), 'database');
    assert.match(String(at(health.body, 'degraded', 0, 'reason')), /Changes are not stored.*disk is full/u);
    await service.logged(/DEGRADED: .* part=database/u);
    const shown = await until('A message reports it, although it cannot be stored', async () => {
      const { body } = await service.call('GET', '/api/info/messages');
      return listAt(body, 'messages').find((row) => at(row, 'type') === 'DISK');
    });
    assert.match(String(at(shown, 'plain')), /Changes are not stored/u);
    const { code, out } = await runCommand(['status'], { dir });
    assert.deepEqual([code, /^DEGRADED: database since .*disk is full/u.test(out)], [0, true], out);
    const status = await service.call('GET', '/api/status');
    assert.equal(at(status.body, 'status', 'database', 'state'), 'away');
    freeSpace();
    await until('Health is good again', async () => {
      await service.call('POST', '/api/groups', { body: { name: `m${performance.now()}` } });
      return at((await service.call('GET', '/api/health')).body, 'status') === 'ok' ? true : undefined;
    });
    await service.logged(/The part database works again/u);
    await until('The message is gone', async () => {
      const { body } = await service.call('GET', '/api/info/messages');
      return listAt(body, 'messages').length === 0 ? true : undefined;
    });
  });

  test('DNS and login work while the disk is full, and queries are recorded again afterwards', async (t) => {
    const dir = smallDisk(32);
    const dnsEnv = { ...dnsEnvironment(9), SLUICE_AUTH_PASSWORD: password, SLUICE_DNS_WORKERS: '3' };
    const service = await bootFor(t, { dir, env: dnsEnv });
    const port = await dnsPort(service);
    const query = async (): Promise<void> => assert.equal(await sendQueryWithRetries(port, localName), 0);
    await query();
    await until('The query is in the history', async () =>
      (await rememberedIn(service)) >= 1 ? true : undefined,
    );
    const freeSpace = fill(dir);
    // A few bytes may still fit; many do not.
    const reported = until('The log says that the history cannot be written', async () => {
      await Promise.all(Array.from({ length: 50 }, query));
      return /History cannot be written in /.test(service.log()) ? true : undefined;
    });
    await reported;
    await query();
    const login = await service.call('POST', '/api/auth', { body: { password } });
    assert.equal(login.status, 200, login.text);
    const before = await rememberedIn(service);
    assert.ok(before > 1, 'Queries in memory are shown.');
    freeSpace();
    await until('Queries are recorded again', async () => {
      await query();
      return /recorded again/.test(service.log()) ? true : undefined;
    });
    const known = await rememberedIn(service);
    await service.stop();
    const again = await bootFor(t, { dir, env: dnsEnv });
    assert.equal(await rememberedIn(again), known, 'No query is lost.');
  });

  test('a start on a full disk serves DNS and login, and writes once there is space', async (t) => {
    const dir = smallDisk(32);
    const { port, again } = await prepared(t, dir);
    const freeSpace = fill(dir);
    const service = await bootFor(t, { dir, env: again });
    assert.equal(await sendQueryWithRetries(port, localName), 0);
    const login = await service.call('POST', '/api/auth', { body: { password } });
    assert.equal(login.status, 200, login.text);
    const health = await service.call('GET', '/api/health', { via: 'control' });
    const parts = listAt(health.body, 'degraded').map((row) => at(row, 'part'));
    assert.ok(parts.includes('database'), health.text);
    const write = (): Promise<Reply> =>
      service.call('POST', '/api/groups', { body: { name: 'new' }, via: 'control' });
    assertRefused(await write());
    // A request that writes nothing does not prove that there is space again.
    await service.call('DELETE', '/api/info/messages/999', { via: 'control' });
    const roomAgain = /there is room on the disk again/;
    assert.doesNotMatch(service.log(), roomAgain);
    freeSpace();
    await service.logged(roomAgain);
    await until('Writing works', async () =>
      (await write().catch(() => undefined))?.status === 201 ? true : undefined,
    );
    await until('Changes are stored', async () => {
      const { status, body } = await service.call('GET', '/api/health');
      if (status !== 200) return undefined;
      return listAt(body, 'degraded').some((row) => at(row, 'part') === 'database') ? undefined : true;
    });
  });

  test('a start in a read-only folder serves DNS, and a second program is refused', async (t) => {
    const dir = smallDisk(32);
    const { port, again } = await prepared(t, dir);
    execFileSync('mount', ['-o', 'remount,ro', dir]);
    const service = launch(['serve'], { dir, env: again });
    t.after(() => service.signal('SIGKILL'));
    assert.equal(await sendQueryWithRetries(port, localName), 0);
    await until(
      'The log says that the database cannot be opened',
      () => /cannot be opened/.test(service.log()) || undefined,
    );
    const other = launch(['serve'], { dir, env: again });
    t.after(() => other.signal('SIGKILL'));
    assert.equal((await within('The second program ends', 60_000, other.ended)).code, 5, other.log());
    assert.equal(await sendQueryWithRetries(port, localName), 0);
    execFileSync('mount', ['-o', 'remount,rw', dir]);
    await until('The service is ready', () => /main: Ready/.test(service.log()) || undefined);
    service.signal('SIGTERM');
    assert.equal((await within('The service stops', 60_000, service.ended)).code, 0);
  });
});

const password = 'a long enough password';

/** A folder in which a service has run; the next service there listens for DNS on the same port. */
async function prepared(t: TestContext, dir: string) {
  const first = {
    ...dnsEnvironment(9),
    SLUICE_WEB_HTTP: '127.0.0.1:0',
    SLUICE_AUTH_PASSWORD: password,
    SLUICE_DNS_WORKERS: '2',
  };
  const service = await bootFor(t, { dir, env: first });
  const port = await dnsPort(service);
  await service.stop();
  return { port, again: { ...first, SLUICE_DNS_LISTEN: `127.0.0.1:${port}` } };
}

async function rememberedIn(service: Service): Promise<number> {
  const reply = await service.call('GET', '/api/queries?length=1', { via: 'control' });
  assert.equal(reply.status, 200, reply.text);
  return Number(at(reply.body, 'recordsTotal'));
}

function smallDisk(megabytes: number): string {
  const { dir, unmount } = mountSmallDisk(megabytes);
  atEnd(unmount);
  return dir;
}

/** Fills the disk completely; the returned function frees the space. */
function fill(dir: string): () => void {
  const path = fillDisk(dir);
  return () => rmSync(path);
}

function assertRefused(reply: Reply): void {
  assertError(reply, { status: 503, key: 'database_error' });
  assert.ok(Number(reply.headers['retry-after']) > 0, 'There is no Retry-After.');
}

async function assertReadable(service: Service, names: readonly string[]): Promise<void> {
  const { status, body } = await service.call('GET', '/api/groups');
  assert.equal(status, 200);
  const found = new Set(listAt(body, 'groups').map((group) => at(group, 'name')));
  assert.deepEqual(
    names.filter((name) => !found.has(name)),
    [],
  );
  assert.equal(found.size, names.length + 1, 'A refused write was stored.');
  assert.equal((await service.call('GET', '/api/config')).status, 200);
}
