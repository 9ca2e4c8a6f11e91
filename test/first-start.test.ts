// The start on a new machine: default settings, ports that other programs may hold or that need a right, and
// a generated password that is shown once. Services with the usual ports run in a network namespace of their
// own; that needs root. Tests reach them through the control socket, which is a file.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test, type TestContext } from 'node:test';
import { backBefore } from '#testing/store/old-tables';

import { boot, bootFor, type BootOptions, type Service } from './running/boot.ts';
import { temporaryFolder } from './running/folder.ts';
import { noNamespace, openNamespace, type Namespace } from './running/namespace.ts';
import { runCommand } from './running/program.ts';
import { at, listAt } from './running/reply.ts';
import { mainPid, restart } from './running/restarting.ts';
import { until } from './running/waiting.ts';

/** Every setting has its default. */
const defaults = {
  SLUICE_WEB_HTTP: undefined,
  SLUICE_WEB_HTTPS: undefined,
  SLUICE_AUTH_PASSWORD: undefined,
  SLUICE_DNS_LISTEN: undefined,
};
const via = 'control';

describe('the start screen', { concurrency: 2 }, () => {
  test('is printed at every start; without a terminal the first password is in a file', async (t) => {
    const dir = temporaryFolder();
    const env = { SLUICE_AUTH_PASSWORD: undefined };
    const first = await boot({ dir, env });
    const text = await screenOf(first);
    const file = join(dir, 'first-password');
    const password = readFileSync(file, 'utf8').trim();
    assert.ok(password.length >= 12, text);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    for (const part of [
      `${first.http}/`,
      `${first.https}/`,
      `in ${file}`,
      'sluice password',
      'ca.crt',
      'DNS is off',
    ])
      assert.ok(text.includes(part), `${part} is not in ${text}`);
    assert.match(text, /Ports +HTTP \d+, HTTPS \d+\n +Degraded +nothing\n/);
    assert.match(text, new RegExp(`Data folder +${dir}\\n`));
    assert.equal((await first.call('GET', '/api/groups')).status, 401);
    await first.stop();

    const second = await bootFor(t, { dir, env });
    assert.ok((await screenOf(second)).includes(`in ${file}`), second.out());
    for (const shown of [first, second])
      assert.ok(!`${shown.out()}${shown.log()}`.includes(password), 'The password is in the output.');
    const login = await second.call('POST', '/api/auth', { body: { password } });
    assert.equal(login.status, 200);
    const set = await runCommand(['password'], { dir, input: 'another one\n' });
    assert.deepEqual([set.code, existsSync(file)], [0, false], set.err);
  });

  test('has the password on a terminal, and the service creates no file', async (t) => {
    const dir = temporaryFolder();
    const wrap = ['sh', '-c', 'exec script -qefc "$*" /dev/null', 'sh'];
    const service = await bootFor(t, { dir, wrap, env: { SLUICE_AUTH_PASSWORD: undefined } });
    const password = /Password +(\S+)\s+shown only now/.exec(await screenOf(service))?.[1] ?? '';
    assert.equal((await service.call('POST', '/api/auth', { body: { password } })).status, 200);
    assert.equal(existsSync(join(dir, 'first-password')), false);
    // `script` passes no signal on.
    process.kill(await mainPid(service), 'SIGTERM');
    await service.ended;
  });

  test('does not show a password that the environment sets', async (t) => {
    const service = await bootFor(t, { env: { SLUICE_AUTH_PASSWORD: 'set elsewhere' } });
    assert.match(await screenOf(service), /Password +as set by the environment\n/);
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

const usualPorts = { 'web.http': [80], 'web.https': [443], 'dns.listen': [53] };

describe('the usual ports', { skip: noNamespace, concurrency: 2 }, () => {
  test('are opened while running once they are free, and by the next start of an old folder', async (t) => {
    const net = await openNamespace(t);
    const dir = temporaryFolder();
    const giveBack = await net.occupy([53, 80, 443]);
    const first = await bootIn(t, net, { dir });
    assert.deepEqual(await portsOf(first), { 'web.http': [8080], 'web.https': [8443], 'dns.listen': [5300] });
    const text = (await screenOf(first)).replaceAll(/\s+/g, ' ');
    for (const part of [
      'Ports DNS 5300, HTTP 8080, HTTPS 8443',
      'instead of *:53 (dns.listen), *:80 (web.http), *:443 (web.https):',
      /taken by another program, node, process \d+ \(EADDRINUSE\)\. Stop it/,
      'dns: see Ports web: see Ports',
      ':8080/',
      ':8443/',
    ])
      assert.ok(typeof part === 'string' ? text.includes(part) : part.test(text), `${String(part)}: ${text}`);
    const { body } = await first.call('GET', '/api/health', { via });
    const reasons = listAt(body, 'degraded').map((row) => String(at(row, 'reason')));
    assert.match(reasons.join('\n'), /dns\.listen: .* on port 5300\. Routers and phones cannot use it/);
    await assertDefaults(first);

    await giveBack();
    await first.logged(/main: dns\.listen: \*:53 is available now .* Port 5300 is closed again/);
    await first.logged(/main: web\.http: \*:80 is available now .* Port 8080 is closed again/);
    await first.logged(/main: web\.https: \*:443 is available now .* Port 8443 is closed again/);
    assert.deepEqual(await portsOf(first), usualPorts);
    await first.logged(/The part web works again/);
    await first.stop();

    storeFallbackPorts(dir);
    const second = await bootIn(t, net, { dir });
    assert.deepEqual(await portsOf(second), usualPorts);
    await assertDefaults(second);
    assert.match(await screenOf(second), /Ports +DNS 53, HTTP 80, HTTPS 443\n/);
  });

  test('need a right: without it any free ports are used, also after a restart', async (t) => {
    const net = await openNamespace(t);
    await net.occupy([5300, 8080, 8443]);
    const wrap = [...net.wrap, 'setpriv', '--bounding-set=-net_bind_service'];
    const service = await bootIn(t, { ...net, wrap });
    const before = await portsOf(service);
    const ports = Object.values(before).flat();
    assert.equal(ports.length, 3);
    for (const port of ports) assert.ok(port > 1_024 && ![5300, 8080, 8443].includes(port), `port ${port}`);
    assert.match(
      (await screenOf(service)).replaceAll(/\s+/g, ' '),
      /need root or the capability CAP_NET_BIND_SERVICE.*systemd service.*`sudo setcap cap_net_bind/,
    );
    await restart(service);
    assert.deepEqual(await portsOf(service), before);
    await assertDefaults(service);
  });

  test('are not replaced when taken but set by the environment; the problem is reported', async (t) => {
    const net = await openNamespace(t);
    await net.occupy([80]);
    const service = await bootIn(t, net, { env: { ...defaults, SLUICE_WEB_HTTP: '*:80' } });
    assert.deepEqual(await portsOf(service), { 'web.https': [443], 'dns.listen': [53] });
    await service.logged(/DEGRADED: web\.http: cannot listen on \*:80: .* node, process \d+/);
    assert.match(await screenOf(service), /not \*:80 \(web\.http\): the port is taken/);
  });
});

/** The screen comes a moment after the service is ready. */
function screenOf(service: Service): Promise<string> {
  return until(
    'The start screen is printed',
    () => /Sluice [^]*Degraded[^]*\n\s*\n/.exec(service.out())?.[0],
  );
}

/** As an earlier release left the database of a first start that did not get the usual ports. */
function storeFallbackPorts(dir: string): void {
  const database = new DatabaseSync(join(dir, 'sluice.db'));
  backBefore(database, '0012');
  const setting = database.prepare('insert into settings (path, value) values (?, ?)');
  const revision = database.prepare(
    `insert into revisions (at_ms, actor, entity, key, after, version)
     values (1, 'first start', 'setting', ?, ?, 1)`,
  );
  for (const [path, value] of Object.entries({ 'dns.listen': '"*:5300"', 'web.http': '"*:8080"' })) {
    setting.run(path, value);
    revision.run(path, value);
  }
  database.close();
}

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

async function assertDefaults(service: Service): Promise<void> {
  const shown = await settingsOf(service);
  const expected = { 'dns.listen': '*:53', 'web.http': '*:80', 'web.https': '*:443' };
  for (const [path, value] of Object.entries(expected))
    assert.deepEqual(at(shown, path), { value, source: 'default' });
}
