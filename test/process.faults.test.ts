// The service stopped at moments that cannot be chosen exactly: during a start, and in the middle of
// requests. The moments of a start are spread over its usual duration of a second.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { boot, bootFor, loopbackEnvironment, type Service } from './running/boot.ts';
import { temporaryFolder } from './running/folder.ts';
import { launch } from './running/program.ts';
import { openSocket } from './running/raw.ts';
import { at } from './running/reply.ts';
import { seeded } from './running/seeded.ts';
import { within } from './running/waiting.ts';

const { seed, random } = seeded();
const patienceMs = 30_000;
const startRounds = 8;
const startSpreadMs = 1_000;

describe('a service that receives SIGTERM', () => {
  test(`at any moment of its start ends, and the next start works (seed ${seed})`, async (t) => {
    const dir = temporaryFolder();
    for (let round = 0; round < startRounds; round++) {
      const running = launch(['serve'], { dir, env: loopbackEnvironment });
      const afterMs = Math.round(random() * startSpreadMs);
      await sleep(afterMs);
      running.signal('SIGTERM');
      const { code, signal } = await within('The service ends', patienceMs, running.ended);
      // Before the program handles signals, the default action of the signal ends it.
      const where = `seed ${seed}, after ${afterMs} ms: code ${code}, ${running.log()}`;
      assert.ok(code === 0 || signal === 'SIGTERM', where);
    }
    const service = await bootFor(t, { dir });
    assert.equal((await service.call('GET', '/api/health')).status, 200);
  });

  test('finishes or refuses a request that has begun, and stores what it acknowledges', async (t) => {
    const dir = temporaryFolder();
    const service = await boot({ dir });
    const body = '{"name":"at the last moment"}';
    const head = `POST /api/groups HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`;
    const begun = talk(service, head);
    const late = talk(service, 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n');
    await sleep(200);
    service.signal('SIGTERM');
    await service.logged(/SIGTERM/);
    begun.socket.write(body);
    late.socket.write('\r\n');
    await within('The service ends', patienceMs, service.ended);
    // The service waits less than a second; a machine too busy to send the rest in time gets no reply.
    assert.match(begun.text(), /^$|^HTTP\/1\.1 (?:201|503) /);
    assert.match(late.text(), /^$|^HTTP\/1\.1 (?:200|503) /);
    if (late.text().startsWith('HTTP/1.1 503')) {
      assert.match(late.text(), /retry-after: \d+/i);
      assert.match(late.text(), /"error":\{"key":"unavailable".*"took":/);
      assert.match(late.text(), /connection: close/i);
    }
    const again = await bootFor(t, { dir });
    const { body: groups } = await again.call('GET', '/api/groups');
    const isStored = JSON.stringify(at(groups, 'groups')).includes('at the last moment');
    assert.equal(isStored, begun.text().startsWith('HTTP/1.1 201'), 'The reply contradicts what was stored.');
  });
});

type Talk = { readonly socket: Socket; readonly text: () => string };

/** Opens a connection, sends the beginning of a request and collects the reply. */
function talk(service: Service, said: string): Talk {
  const socket = openSocket(service, 'http');
  const chunks: Buffer[] = [];
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(said);
  return { socket, text: () => Buffer.concat(chunks).toString('latin1') };
}
