// The dns workers seen from outside: they answer before the database is open, listen where the settings say,
// and answer queries in flight before they end.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test, type TestContext } from 'node:test';

import { boot, loopbackEnvironment, type Service } from './running/boot.ts';
import { sendQuery, bootWithDns, dnsEnvironment, dnsPort, localName } from './running/dns-service.ts';
import { startUpstream } from './running/dns-upstream.ts';
import { temporaryFolder } from './running/folder.ts';
import { freePort } from './running/free-port.ts';
import { noNamespace, openNamespace } from './running/namespace.ts';
import { launch } from './running/program.ts';
import { at, describe as shown, listAt } from './running/reply.ts';
import { until, within } from './running/waiting.ts';

const environmentFor = async (t: TestContext, delayMs = 0) =>
  dnsEnvironment((await startUpstream(t, delayMs)).port);

const options = { skip: noNamespace };

const setListen = (service: Service, listen: string) =>
  service.call('PATCH', '/api/config', { body: { config: { dns: { listen } } }, via: 'control' });

describe('dns workers', () => {
  test('are as many threads as dns.workers says, and all answer', async (t) => {
    const env = { ...(await environmentFor(t)), SLUICE_DNS_WORKERS: '2' };
    const { service, port } = await bootWithDns(t, { env });
    const { body } = await service.call('GET', '/api/status');
    const names = listAt(body, 'status', 'threads').map((one) => at(one, 'name'));
    assert.deepEqual(names, ['api', 'dns1', 'dns2', 'history']);
    // The client's address and port select one of the sockets, so many clients reach both workers.
    const codes = await Promise.all(Array.from({ length: 40 }, () => sendQuery(port, localName)));
    assert.deepEqual(new Set(codes), new Set([0]));
    assert.equal((await service.call('GET', '/api/health')).status, 200);
    // On a busy machine main may warn about a thread that starts late.
    assert.doesNotMatch(service.log(), / (?:warn|error) +main: (?!The thread )/);
  });

  test('answer at the next start before the database is open, from the stored plan', async (t) => {
    const dir = temporaryFolder();
    const env = { ...(await environmentFor(t)), SLUICE_DNS_LISTEN: `127.0.0.1:${await freePort()}` };
    const first = await boot({ dir, env });
    const port = await dnsPort(first);
    await first.stop();
    assert.equal(statSync(join(dir, 'dns.json')).mode & 0o777, 0o600);
    const other = new DatabaseSync(join(dir, 'sluice.db'));
    other.exec('begin exclusive');
    const second = launch(['serve'], { dir, env: { ...loopbackEnvironment, ...env } });
    t.after(() => second.signal('SIGKILL'));
    const answer = async () => sendQuery(port, localName, 500);
    assert.equal(await until('DNS answers', answer), 0);
    assert.doesNotMatch(second.log(), /Ready/);
    other.exec('rollback');
    other.close();
  });

  // src/control/plan/dns-plan.test.ts has all other reasons why a plan is unusable.
  test('ignore a stored plan that is damaged, and a new one is written', async (t) => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, 'dns.json'), '{"format":1,');
    const { service, port } = await bootWithDns(t, { dir, env: await environmentFor(t) });
    assert.equal(await sendQuery(port, localName), 0);
    assert.equal(await dnsPort(service), port);
    assert.match(readFileSync(join(dir, 'dns.json'), 'utf8'), /nas\.lan/);
  });

  test('move when dns.listen changes, all or nothing, and end when it is empty', options, async (t) => {
    const env = { ...(await environmentFor(t)), SLUICE_DNS_LISTEN: undefined };
    const [first, second] = [await freePort(), await freePort()];
    const dir = temporaryFolder();
    // Only a setting from the database can be changed; the default would listen on all addresses here.
    const { wrap } = await openNamespace(t);
    const before = await boot({ dir, env, wrap });
    assert.equal((await setListen(before, `127.0.0.1:${first}`)).status, 200);
    await before.stop();
    const { service, port } = await bootWithDns(t, { dir, env });
    assert.equal(port, first);
    assert.equal(await sendQuery(first, localName), 0);
    const moved = await setListen(service, `127.0.0.1:${second}`);
    assert.equal(moved.status, 200, shown(moved));
    assert.equal(await sendQuery(second, localName), 0);
    const refused = await setListen(service, `127.0.0.1:${second},192.0.2.200:${second}`);
    assert.equal(refused.status, 402, shown(refused));
    assert.equal(await sendQuery(second, localName), 0, 'The old address does not answer any more.');
    const off = await setListen(service, '');
    assert.equal(off.status, 200, shown(off));
    assert.equal(await sendQuery(second, localName, 300), undefined);
    await until('Only the api and history threads are left', async () => {
      const { body } = await service.call('GET', '/api/status', { via: 'control' });
      const names = listAt(body, 'status', 'threads').map((one) => at(one, 'name'));
      return names.join() === 'api,history' ? true : undefined;
    });
  });

  test('answer queries in flight before the service stops', async (t) => {
    const upstream = await startUpstream(t, 300);
    const { service, port } = await bootWithDns(t, { env: dnsEnvironment(upstream.port) });
    const waiting = sendQuery(port, 'the-last.example');
    await until('The query is in flight', () => (upstream.asked('the-last.example') > 0 ? true : undefined));
    service.signal('SIGTERM');
    assert.equal(await waiting, 0);
    assert.deepEqual(await within('The service ends', 30_000, service.ended), { code: 0, signal: null });
    assert.ok(!existsSync(join(service.dir, 'control.sock')));
  });
});
