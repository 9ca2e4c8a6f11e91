// The first start on a new machine: default settings, ports that other programs may hold, and a generated
// password that is shown once. Each service runs in its own network namespace, because it uses the standard
// ports; that needs root. Tests reach it through its control socket, which is a file.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import { boot, bootFor, type BootOptions, type Service } from './running/boot.ts';
import { temporaryFolder } from './running/folder.ts';
import { noNamespace, openNamespace, type Namespace } from './running/namespace.ts';
import { runCommand } from './running/program.ts';
import { at, listAt } from './running/reply.ts';

/** Every setting has its default. */
const defaults = {
  SLUICE_WEB_HTTP: undefined,
  SLUICE_WEB_HTTPS: undefined,
  SLUICE_AUTH_PASSWORD: undefined,
  SLUICE_DNS_LISTEN: undefined,
};
const via = 'control';

describe('the banner of the first start', { concurrency: 2 }, () => {
  test('is printed once with addresses, password and data folder, and not in the log', async (t) => {
    const dir = temporaryFolder();
    const env = { SLUICE_AUTH_PASSWORD: undefined };
    const first = await boot({ dir, env });
    const text = first.out();
    const password = /Password +(\S+)/.exec(text)?.[1] ?? '';
    assert.ok(password.length >= 12, text);
    for (const part of [`${first.http}/`, `${first.https}/`, dir, 'sluice password', 'ca.crt', 'DNS'])
      assert.ok(text.includes(part), `${part} is not in ${text}`);
    assert.ok(!first.log().includes(password), 'The password is in the log.');
    assert.equal((await first.call('GET', '/api/groups')).status, 401);
    await first.stop();
    const second = await bootFor(t, { dir, env });
    assert.equal(second.out(), '');
    assert.equal((await second.call('GET', '/api/groups')).status, 401);
  });

  test('does not show a password that the environment sets', async (t) => {
    const service = await bootFor(t, { env: { SLUICE_AUTH_PASSWORD: 'set elsewhere' } });
    assert.match(service.out(), /is running/);
    assert.ok(!service.out().includes('set elsewhere'));
  });

  test('an empty password is logged as a warning at every start', async (t) => {
    const dir = temporaryFolder();
    for (let round = 0; round < 2; round++) {
      const service = await bootFor(t, { dir });
      await service.logged(/warn .*auth\.password is empty/);
      await service.stop();
    }
  });
});

describe('ports at the first start', { skip: noNamespace, concurrency: 2 }, () => {
  test('are the standard ones when these are free, and stay configured when taken later', async (t) => {
    const net = await openNamespace(t);
    const dir = temporaryFolder();
    const service = await bootIn(t, net, { dir });
    assert.deepEqual(await portsOf(service), { 'web.http': [80], 'web.https': [443], 'dns.listen': [53] });
    const shown = await settingsOf(service);
    assert.deepEqual(at(shown, 'web.http'), { value: '*:80', source: 'default' });
    assert.doesNotMatch(service.out(), /Please note/);
    await service.stop();

    // When they are taken at a later start, they are not replaced, and the problem is reported.
    const giveBack = await net.occupy([80, 443]);
    const later = await bootIn(t, net, { dir });
    assert.deepEqual(await portsOf(later), { 'dns.listen': [53] });
    await assertProblem(later, 80);
    await assertProblem(later, 443);
    assert.deepEqual(at(await settingsOf(later), 'web.http'), { value: '*:80', source: 'default' });
    await giveBack();
  });

  test('are replaced when taken; replacements are stored, shown and kept at the next start', async (t) => {
    const net = await openNamespace(t);
    const dir = temporaryFolder();
    const giveBack = await net.occupy([53, 80, 443]);
    const first = await bootIn(t, net, { dir });
    assert.deepEqual(await portsOf(first), { 'web.http': [8080], 'web.https': [8443], 'dns.listen': [5300] });
    for (const part of [
      'web.http is *:8080',
      'web.https is *:8443',
      'dns.listen is *:5300',
      ':8080/',
      ':8443/',
    ])
      assert.ok(first.out().includes(part), `${part} is not in ${first.out()}`);
    await first.stop();
    await giveBack();
    const second = await bootIn(t, net, { dir });
    assert.deepEqual(await portsOf(second), {
      'web.http': [8080],
      'web.https': [8443],
      'dns.listen': [5300],
    });
    const shown = await settingsOf(second);
    assert.deepEqual(at(shown, 'web.http'), { value: '*:8080', source: 'database' });
    assert.deepEqual(at(shown, 'dns.listen'), { value: '*:5300', source: 'database' });
    assert.equal(second.out(), '');
  });

  test('are any free ports when the replacements are taken too', async (t) => {
    const net = await openNamespace(t);
    await net.occupy([80, 443, 8080, 8443]);
    const service = await bootIn(t, net);
    const { 'dns.listen': dns, ...web } = await portsOf(service);
    const ports = Object.values(web).flat();
    assert.deepEqual(dns, [53]);
    assert.equal(ports.length, 2);
    for (const port of ports) assert.ok(port > 1_024 && port !== 8080 && port !== 8443, `port ${port}`);
    assert.equal(at(await settingsOf(service), 'web.http', 'value'), `*:${ports[0]}`);
  });

  test('are not replaced when taken but set by the environment; the problem is reported', async (t) => {
    const net = await openNamespace(t);
    await net.occupy([80]);
    const service = await bootIn(t, net, { env: { ...defaults, SLUICE_WEB_HTTP: '*:80' } });
    assert.deepEqual(await portsOf(service), { 'web.https': [443], 'dns.listen': [53] });
    await assertProblem(service, 80);
  });
});

function bootIn(t: TestContext, net: Namespace, options: BootOptions = {}): Promise<Service> {
  return bootFor(t, { env: defaults, ...options, wrap: net.wrap });
}

async function portsOf(service: Service): Promise<Record<string, number[]>> {
  const { body } = await service.call('GET', '/api/status', { via });
  const open = listAt(body, 'status', 'listeners').filter((row) => at(row, 'problem') === null);
  const bySetting = Map.groupBy(open, (row) => String(at(row, 'setting')));
  return Object.fromEntries(
    [...bySetting].map(([name, rows]) => [name, [...new Set(rows.map((row) => Number(at(row, 'port'))))]]),
  );
}

async function settingsOf(service: Service): Promise<unknown> {
  const { code, out, err } = await runCommand(['config', 'show', '--json'], { dir: service.dir });
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

/** Status and log name the port and say what to do. */
async function assertProblem(service: Service, port: number): Promise<void> {
  const { body } = await service.call('GET', '/api/status', { via });
  const row = listAt(body, 'status', 'listeners').find((listener) => at(listener, 'port') === port);
  assert.match(String(at(row, 'problem')), new RegExp(`\\b${port}\\b`));
  await service.logged(new RegExp(`error .*\\b${port}\\b`));
}
