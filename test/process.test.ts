// The service as a process: only one at a time in a data folder, ended by a signal whatever its clients do,
// and with a control socket that only its own user may open. process.faults.test.ts ends it at random
// moments.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { boot, bootFor, loopbackEnvironment, type Service } from './running/boot.ts';
import { openHttp2 } from './running/client.ts';
import { temporaryFolder } from './running/folder.ts';
import { launch, runCommand } from './running/program.ts';
import { openSocket } from './running/raw.ts';
import { at } from './running/reply.ts';
import { until, within } from './running/waiting.ts';

const patienceMs = 30_000;
const get = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
const halfPost = 'POST /api/groups HTTP/1.1\r\nHost: localhost\r\nContent-Length: 29\r\n\r\n';

describe('services in one data folder:', () => {
  const dir = temporaryFolder();
  const socketPath = join(dir, 'control.sock');
  let service: Service;
  before(async () => {
    service = await boot({ dir });
  });
  after(() => service.kill());

  test('GET /api/status reports process, folder, addresses and threads', async () => {
    const { body } = await service.call('GET', '/api/status');
    const state = (...path: string[]): unknown => at(body, 'status', ...path);
    assert.deepEqual(
      [state('state'), state('pid'), state('data_folder')],
      ['running', service.pid, service.dir],
    );
    assert.deepEqual(state('urls'), [`${service.http}/`, `${service.https}/`]);
    assert.deepEqual(state('threads'), [
      { name: 'api', state: 'running', restarts: 0, last_failure: null },
      { name: 'history', state: 'idle', restarts: 0, last_failure: null },
    ]);
    assert.equal(state('database', 'state'), 'ok');
    assert.ok(Number(state('started')) <= Date.now() / 1000);
  });

  test('a second service at the same time ends with exit code 5 and names the first one', async () => {
    const second = await runCommand(['serve'], { dir, env: loopbackEnvironment });
    assert.equal(second.code, 5, second.err);
    assert.match(second.err, new RegExp(`process ${service.pid}\\b`));
    assert.ok(second.err.includes(dir), second.err);
    assert.equal((await service.call('GET', '/api/health')).status, 200);
    assert.equal((await service.call('GET', '/api/health', { via: 'control' })).status, 200);
  });

  test('after kill -9 the next service starts', async () => {
    const { pid } = service;
    await service.kill();
    assert.ok(existsSync(socketPath), 'kill -9 left no socket, so this tests nothing.');
    service = await boot({ dir });
    assert.notEqual(service.pid, pid);
  });

  test('the control socket has mode 0600, and is removed when the service stops', async () => {
    const found = statSync(socketPath);
    assert.ok(found.isSocket());
    assert.equal(found.mode & 0o777, 0o600);
    const database = statSync(join(dir, 'sluice.db'));
    assert.equal(database.mode & 0o022, 0, 'Other users may write the database.');
    await service.stop();
    assert.ok(!existsSync(socketPath));
    assert.ok(
      !existsSync(join(dir, 'sluice.db-wal')),
      'The write-ahead log was not merged into the database.',
    );
  });
});

test('the password is stored, logged and shown nowhere in clear text', async (t) => {
  const password = 'correct horse battery staple';
  const service = await bootFor(t, { env: { SLUICE_AUTH_PASSWORD: undefined } });
  const set = await runCommand(['password'], { dir: service.dir, input: `${password}\n` });
  assert.equal(set.code, 0, set.err);
  const shown = [
    (await service.call('GET', '/api/config?detailed=true', { via: 'control' })).text,
    (await service.call('GET', '/api/status', { via: 'control' })).text,
    service.out(),
    service.log(),
    set.out + set.err,
    ...['sluice.db', 'sluice.db-wal', 'lock'].map((name) => readFileSync(join(service.dir, name), 'latin1')),
  ];
  for (const text of shown) assert.ok(!text.includes(password), text.slice(0, 300));
});

describe('a service with open, half-sent and idle requests', { concurrency: 2 }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`ends with exit code 0 on ${signal}`, async (t) => {
      const service = await bootFor(t);
      const session = await openHttp2(service);
      const stream = session.request({
        ':method': 'POST',
        ':path': '/api/groups',
        ':authority': 'localhost',
      });
      stream.on('error', () => undefined).write('{"name":');
      const sockets = (['http', 'https', 'control'] as const).flatMap((via) => [
        talk(service, via, get),
        talk(service, via, 'GET /api/hea'),
        talk(service, via, halfPost),
        talk(service, via, `${halfPost}{"na`),
        talk(service, via, ''),
      ]);
      await until('Some requests are served', () =>
        sockets.filter(({ text }) => text().startsWith('HTTP/1.1 200')).length === 3 ? true : undefined,
      );
      service.signal(signal);
      const ended = await within('The service ends', patienceMs, service.ended);
      assert.deepEqual(ended, { code: 0, signal: null }, service.log());
      for (const { socket } of sockets) socket.destroy();
      session.destroy();
      assert.match(service.log(), new RegExp(signal));
    });
  }

  test('ends with exit code 0 when more signals arrive while it stops', async (t) => {
    const service = await bootFor(t);
    const { socket } = talk(service, 'http', halfPost);
    service.signal('SIGTERM');
    await service.logged(/Stopping/);
    service.signal('SIGTERM');
    service.signal('SIGINT');
    assert.deepEqual(await within('The service ends', patienceMs, service.ended), { code: 0, signal: null });
    socket.destroy();
  });

  test('SIGTERM during the start ends the service with exit code 0, and the next start works', async (t) => {
    const dir = temporaryFolder();
    const running = launch(['serve'], { dir, env: loopbackEnvironment });
    await until('The service logs that it starts', () =>
      /main: Starting/.test(running.log()) ? true : undefined,
    );
    running.signal('SIGTERM');
    const ended = await within('The service ends', patienceMs, running.ended);
    assert.deepEqual(ended, { code: 0, signal: null }, running.log());
    const service = await bootFor(t, { dir });
    assert.equal((await service.call('GET', '/api/health')).status, 200);
  });
});

type Talk = { readonly socket: Socket; readonly text: () => string };

/** Opens a connection, sends a text and collects the reply. */
function talk(service: Service, via: 'http' | 'https' | 'control', said: string): Talk {
  const socket = openSocket(service, via);
  const chunks: Buffer[] = [];
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk));
  if (said !== '') socket.write(said);
  return { socket, text: () => Buffer.concat(chunks).toString('latin1') };
}
