// A database that cannot be opened at a start, here because a folder lies in its place: a service that knows
// from before how to answer DNS does so, says what is wrong and to whom, and goes on by itself once it can.

import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { bootFor } from './running/boot.ts';
import { call, type Place } from './running/client.ts';
import { bindDatagramSocket } from './running/datagram-socket.ts';
import { askAgain, dnsEnvironment, dnsPort, localName } from './running/dns-service.ts';
import { temporaryFolder } from './running/folder.ts';
import { launch } from './running/program.ts';
import { assertError, at } from './running/reply.ts';
import { until, within } from './running/waiting.ts';

const message = /error main: DNS is answered with the last rules.* (\S+sluice\.db) cannot be opened/g;
/** In which it is tried three times. */
const severalTriesMs = 2_000;

test('DNS is answered, the reason is told, and all is well once it can be opened', async (t) => {
  const dir = temporaryFolder();
  const before = await bootFor(t, { dir, env: dnsEnvironment(9) });
  const port = await dnsPort(before);
  await before.stop();
  const [path, aside] = [join(dir, 'sluice.db'), join(dir, 'aside.db')];
  renameSync(path, aside);
  mkdirSync(path);

  const manager = bindDatagramSocket(join(dir, 'notify.sock'));
  t.after(manager.close);
  const env = {
    ...dnsEnvironment(9),
    SLUICE_AUTH_PASSWORD: '',
    SLUICE_WEB_HTTP: `127.0.0.1:${before.httpPort}`,
    SLUICE_DNS_LISTEN: `127.0.0.1:${port}`,
    NOTIFY_SOCKET: join(dir, 'notify.sock'),
  };
  const service = launch(['serve'], { dir, env });
  t.after(() => service.signal('SIGKILL'));
  const place: Place = {
    httpPort: before.httpPort,
    httpsPort: 0,
    controlPath: join(dir, 'control.sock'),
    ca: undefined,
  };
  const health = (via: 'http' | 'control') =>
    call(place, 'GET', '/api/health', { via }).catch(() => undefined);
  const toAdministrator = await until('It tells its health', () => health('control'));
  assertError(toAdministrator, { status: 503, key: 'database_error', hint: /sluice\.db cannot be opened/ });
  assert.equal(at(toAdministrator.body, 'failing', 0, 'part'), 'database');
  assert.match(String(at(toAdministrator.body, 'failing', 0, 'reason')), /sluice\.db cannot be opened/);
  const toProbe = await until('It tells probes', () => health('http'));
  assertError(toProbe, { status: 503, key: 'database_error' });
  assert.doesNotMatch(toProbe.text, /sluice\.db/, 'Strangers are told where things lie.');
  assertError(await call(place, 'GET', '/api/groups'), { status: 503, key: 'database_error' });
  assert.equal(await askAgain(port, localName), 0);
  const said = await until('The manager hears of it', () =>
    manager.receive().find((one) => /READY=1/.test(one)),
  );
  assert.match(said, /^STATUS=DNS is answered.*cannot be opened/m);
  await sleep(severalTriesMs);
  assert.equal(service.log().match(message)?.length, 1, service.log());
  assert.equal(service.hasEnded(), false);

  rmdirSync(path);
  renameSync(aside, path);
  await until('It serves', async () => ((await health('http'))?.status === 200 ? true : undefined));
  assert.equal((await call(place, 'GET', '/api/groups')).status, 200);
  assert.equal(await askAgain(port, localName), 0);
  service.signal('SIGTERM');
  assert.equal((await within('It stops', 20_000, service.ended)).code, 0);
});

test('told to stop while it waits, it stops; without anything to answer by, it ends', async (t) => {
  const dir = temporaryFolder();
  const env = { ...dnsEnvironment(9), SLUICE_WEB_HTTP: '127.0.0.1:0', SLUICE_AUTH_PASSWORD: '' };
  mkdirSync(join(dir, 'sluice.db'));
  const never = launch(['serve'], { dir, env });
  t.after(() => never.signal('SIGKILL'));
  const { code } = await within('The first start ends', 60_000, never.ended);
  assert.equal(code, 1);
  assert.match(never.log(), /sluice\.db cannot be opened.*\nThe service was not started/);

  rmdirSync(join(dir, 'sluice.db'));
  await (await bootFor(t, { dir, env })).stop();
  renameSync(join(dir, 'sluice.db'), join(dir, 'aside.db'));
  mkdirSync(join(dir, 'sluice.db'));
  const waiting = launch(['serve'], { dir, env });
  t.after(() => waiting.signal('SIGKILL'));
  await until('It waits', () => (waiting.log().search(message) >= 0 ? true : undefined));
  waiting.signal('SIGTERM');
  assert.equal((await within('It stops', 20_000, waiting.ended)).code, 0);
});
