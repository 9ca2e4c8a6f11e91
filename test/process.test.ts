// The service as a process: one at a time in a data folder, ended by a signal whatever its clients do, and a
// control socket that only its own user may open.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { boot, bootFor, loopbackEnvironment, type Service } from './running/boot.ts';
import { openHttp2 } from './running/client.ts';
import { temporaryFolder } from './running/folder.ts';
import { launch, runCommand } from './running/program.ts';
import { openSocket } from './running/raw.ts';
import { at } from './running/reply.ts';
import { until, within } from './running/waiting.ts';

/** Before an idle connection would be closed anyhow; mostly it takes one second. */
const endMaxMs = 2_000;
const patienceMs = 30_000;
const attemptsMax = 5;
const get = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
const bodyText = '{"name":"at the last moment"}';
const halfPost = `POST /api/groups HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bodyText.length}\r\n\r\n`;

describe('one service in a data folder', { concurrency: 2 }, () => {
  test('a second one is turned away and told who holds it', async (t) => {
    const first = await bootFor(t);
    const second = await runCommand(['serve'], { dir: first.dir, env: loopbackEnvironment });
    assert.equal(second.code, 5, second.err);
    assert.match(second.err, new RegExp(`process ${first.pid}\\b`));
    assert.ok(second.err.includes(first.dir), second.err);
    assert.equal((await first.call('GET', '/api/health')).status, 200);
    assert.equal((await first.call('GET', '/api/health', { via: 'control' })).status, 200);
  });

  test('after one that was killed the next starts at once', async (t) => {
    const dir = temporaryFolder();
    const first = await boot({ dir });
    await first.kill();
    assert.ok(existsSync(join(dir, 'control.sock')), 'Nothing was left behind, so this tests nothing.');
    const second = await bootFor(t, { dir });
    assert.notEqual(second.pid, first.pid);
  });
});

describe('files', () => {
  test('the control socket is for its own user, and gone in the end', async () => {
    const service = await boot();
    const socketPath = join(service.dir, 'control.sock');
    const found = statSync(socketPath);
    assert.ok(found.isSocket());
    assert.equal(found.mode & 0o777, 0o600);
    const database = statSync(join(service.dir, 'sluice.db'));
    assert.equal(database.mode & 0o022, 0, 'Others may write the database.');
    await service.stop();
    assert.ok(!existsSync(socketPath));
    assert.ok(!existsSync(join(service.dir, 'sluice.db-wal')), 'The journal was not taken in.');
  });

  test('the password is nowhere in clear', async (t) => {
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
      ...['sluice.db', 'sluice.db-wal', 'lock'].map((name) =>
        readFileSync(join(service.dir, name), 'latin1'),
      ),
    ];
    for (const text of shown) assert.ok(!text.includes(password), text.slice(0, 300));
  });
});

describe('a signal ends it, whatever its clients do', { concurrency: 2 }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(signal, async (t) => {
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
      await until('Some are served', () =>
        sockets.filter(({ text }) => text().startsWith('HTTP/1.1 200')).length === 3 ? true : undefined,
      );
      await sleep(100);
      const startedMs = performance.now();
      service.signal(signal);
      const ended = await within('The service ends', patienceMs, service.ended);
      const elapsedMs = performance.now() - startedMs;
      assert.deepEqual(ended, { code: 0, signal: null }, service.log());
      assert.ok(elapsedMs < endMaxMs, `It took ${Math.round(elapsedMs)} ms.`);
      for (const { socket } of sockets) socket.destroy();
      session.destroy();
      assert.match(service.log(), new RegExp(signal));
    });
  }

  test('a second signal while it stops does no harm', async (t) => {
    const service = await bootFor(t);
    const { socket } = talk(service, 'http', halfPost);
    await sleep(100);
    service.signal('SIGTERM');
    await sleep(100);
    service.signal('SIGTERM');
    service.signal('SIGINT');
    assert.deepEqual(await within('It ends', patienceMs, service.ended), { code: 0, signal: null });
    socket.destroy();
  });

  test('a signal while it starts ends it too', async (t) => {
    const dir = temporaryFolder();
    for (const afterMs of [50, 250, 450, 650, 850]) {
      const running = launch(['serve'], { dir, env: loopbackEnvironment });
      await sleep(afterMs);
      running.signal('SIGTERM');
      const { code, signal } = await within('It ends', patienceMs, running.ended);
      // Before the program has begun to listen to signals, the signal itself ends it.
      assert.ok(code === 0 || signal === 'SIGTERM', `${afterMs} ms: code ${code}, ${running.log()}`);
    }
    const service = await bootFor(t, { dir });
    assert.equal((await service.call('GET', '/api/health')).status, 200);
  });

  test('requests that come while it stops get 503, those that had begun are finished', async (t) => {
    const { dir, begun, late } = await stopBetween();
    assert.match(late.text(), /^HTTP\/1\.1 503 /);
    assert.match(late.text(), /retry-after: \d+/i);
    assert.match(late.text(), /"error":\{"key":"unavailable".*"took":/);
    assert.match(late.text(), /connection: close/i);
    assert.match(begun.text(), /^HTTP\/1\.1 (?:201|503) /);
    const again = await bootFor(t, { dir });
    const isStored = (await again.call('GET', '/api/groups')).text.includes('at the last moment');
    assert.equal(isStored, begun.text().startsWith('HTTP/1.1 201'), 'The reply does not say what was done.');
  });
});

type Stopped = { readonly dir: string; readonly begun: Talk; readonly late: Talk };

/**
 * Ends the service between the beginning and the end of two requests. It waits for them for less than a
 * second: where a machine takes longer to say the rest, nobody hears it, and where it takes longer to begin
 * to stop, it was no late request; then another one is ended.
 */
async function stopBetween(): Promise<Stopped> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const dir = temporaryFolder();
    const service = await boot({ dir });
    const begun = talk(service, 'http', halfPost);
    const late = talk(service, 'http', get.slice(0, -2));
    await sleep(200);
    service.signal('SIGTERM');
    await service.logged(/SIGTERM/);
    await sleep(100);
    begun.socket.write(bodyText);
    late.socket.write('\r\n');
    await within('It ends', patienceMs, service.ended);
    const wasInTime = late.text() !== '' && begun.text() !== '' && !late.text().startsWith('HTTP/1.1 200');
    if (wasInTime) return { dir, begun, late };
  }
  return assert.fail('The rest of a request never came in time.');
}

test('status tells the truth', async (t) => {
  const service = await bootFor(t);
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
  assert.ok(Math.abs(Number(state('started')) - Date.now() / 1000) < 120);
});

type Talk = { readonly socket: Socket; readonly text: () => string };

/** Opens a connection and says something; what comes back is gathered. */
function talk(service: Service, via: 'http' | 'https' | 'control', said: string): Talk {
  const socket = openSocket(service, via);
  const chunks: Buffer[] = [];
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk));
  if (said !== '') socket.write(said);
  return { socket, text: () => Buffer.concat(chunks).toString('latin1') };
}
