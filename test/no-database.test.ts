// A database that cannot be opened at a start, here because a folder is in its place. A service with a stored
// plan answers DNS, reports the problem to administrators, probes and systemd, and continues normally once
// the database can be opened.

import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { bootFor } from './running/boot.ts';
import { call, type Place } from './running/client.ts';
import { bindDatagramSocket } from './running/datagram-socket.ts';
import { sendQueryWithRetries, dnsEnvironment, dnsPort, localName } from './running/dns-service.ts';
import { temporaryFolder } from './running/folder.ts';
import { launch } from './running/program.ts';
import { assertError, at } from './running/reply.ts';
import { until, within } from './running/waiting.ts';

const message = /error main: DNS is answered with the last rules.* (\S+sluice\.db) cannot be opened/g;
/** Time for about three attempts to open the database. */
const severalTriesMs = 2_000;

test('a service answers DNS while its database cannot be opened, says why, and recovers', async (t) => {
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
  const administratorReply = await until('Health is served on the control socket', () => health('control'));
  assertError(administratorReply, {
    status: 503,
    key: 'database_error',
    hint: /sluice\.db cannot be opened/,
  });
  assert.equal(at(administratorReply.body, 'failing', 0, 'part'), 'database');
  assert.match(String(at(administratorReply.body, 'failing', 0, 'reason')), /sluice\.db cannot be opened/);
  const probeReply = await until('Health is served over HTTP', () => health('http'));
  assertError(probeReply, { status: 503, key: 'database_error' });
  assert.doesNotMatch(probeReply.text, /sluice\.db/, 'Callers without a session see paths.');
  assertError(await call(place, 'GET', '/api/groups'), { status: 503, key: 'database_error' });
  assert.equal(await sendQueryWithRetries(port, localName), 0);
  const notification = await until('systemd receives READY=1', () =>
    manager.receive().find((one) => /READY=1/.test(one)),
  );
  assert.match(notification, /^STATUS=DNS is answered.*cannot be opened/m);
  await sleep(severalTriesMs);
  assert.equal(service.log().match(message)?.length, 1, service.log());
  assert.equal(service.hasEnded(), false);

  rmdirSync(path);
  renameSync(aside, path);
  await until('The API serves', async () => ((await health('http'))?.status === 200 ? true : undefined));
  assert.equal((await call(place, 'GET', '/api/groups')).status, 200);
  assert.equal(await sendQueryWithRetries(port, localName), 0);
  service.signal('SIGTERM');
  assert.equal((await within('The service stops', 20_000, service.ended)).code, 0);
});

test('a service whose database cannot be opened ends at once without a plan, else on SIGTERM', async (t) => {
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
  await until('The service waits for the database', () =>
    waiting.log().search(message) >= 0 ? true : undefined,
  );
  waiting.signal('SIGTERM');
  assert.equal((await within('The service stops', 20_000, waiting.ended)).code, 0);
});
