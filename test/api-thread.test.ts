// The api thread killed by force, again and again: it is back within 2 s, the sockets stand meanwhile and
// their queue with them, so whoever comes in between waits and is answered. The signal SIGUSR2 replaces the
// thread without asking it.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { boot } from './running/boot.ts';
import type { Via } from './running/client.ts';
import { at } from './running/reply.ts';
import { until, within } from './running/waiting.ts';

const backMaxMs = 2_000;
/** When it was back, by round: the best counts, because the machine may have other things to do. */
const backAfter: number[] = [];
const ways: readonly Via[] = ['http', 'https', 'h2', 'control'];
const service = await boot();
after(() => service.stop());

const restarts = async (): Promise<unknown> => {
  const { body } = await service.call('GET', '/api/status', { via: 'control' });
  return at(body, 'status', 'threads', 0, 'restarts');
};

/** Replaces the thread and waits until the log says that it is gone. */
const replaceThread = async (round: number): Promise<void> => {
  service.signal('SIGUSR2');
  const isGone = () => (service.log().split('The thread api is replaced').length > round ? true : undefined);
  await until('The thread is replaced', isGone);
  await sleep(20);
};

describe('the api thread killed by force', () => {
  for (const round of [1, 2, 3]) {
    test(`comes back, and all who came meanwhile are answered (${round})`, async () => {
      const name = `before ${round}`;
      assert.equal((await service.call('POST', '/api/groups', { body: { name } })).status, 201);
      await replaceThread(round);
      const startedMs = performance.now();
      let backAfterMs = Infinity;
      const asked = Array.from({ length: 40 }, async (_, index) => {
        const reply = await service.call('GET', '/api/groups', { via: ways[index % ways.length] ?? 'http' });
        backAfterMs = Math.min(backAfterMs, performance.now() - startedMs);
        return reply;
      });
      for (const reply of await within('All are answered', 60_000, Promise.all(asked))) {
        assert.equal(reply.status, 200);
        assert.ok(reply.text.includes(`"${name}"`), 'What was written before is gone.');
      }
      backAfter.push(backAfterMs);
      assert.equal(await restarts(), round);
    });
  }

  test('is back within 2 s', () => {
    assert.ok(Math.min(...backAfter) < backMaxMs, `It took ${backAfter.map(Math.round).join(', ')} ms.`);
  });

  test('is told in the status, with the reason', async () => {
    const { body } = await service.call('GET', '/api/status', { via: 'control' });
    await until('It is running', async () => {
      const now = await service.call('GET', '/api/status', { via: 'control' });
      return at(now.body, 'status', 'threads', 0, 'state') === 'running' ? true : undefined;
    });
    assert.match(String(at(body, 'status', 'threads', 0, 'last_failure')), /SIGUSR2/);
    assert.equal(at(body, 'status', 'pid'), service.pid);
    assert.equal(service.out().split('is running').length, 2, 'The greeting was printed again.');
  });

  test('loses no write that was acknowledged', async () => {
    const acknowledged: string[] = [];
    const write = async (client: number): Promise<void> => {
      for (let count = 0; count < 40; count++) {
        const name = `client ${client} write ${count}`;
        // A connection of the thread that died is cut; whoever wrote on it was told nothing.
        const reply = await service.call('POST', '/api/groups', { body: { name } }).catch(() => undefined);
        if (reply?.status === 201) acknowledged.push(name);
      }
    };
    const clients = [1, 2, 3, 4].map(write);
    await sleep(30);
    await replaceThread(4);
    await Promise.all(clients);
    const { body } = await service.call('GET', '/api/groups');
    const text = JSON.stringify(body);
    const lost = acknowledged.filter((name) => !text.includes(`"${name}"`));
    assert.deepEqual(lost, []);
    assert.ok(acknowledged.length > 100, `Only ${acknowledged.length} of 160 writes went through.`);
    assert.equal(await restarts(), 4);
  });

  test('settings that were changed hold afterwards', async () => {
    const body = { config: { dns: { blockTTL: 77 }, web: { hosts: ['after.example'] } } };
    assert.equal((await service.call('PATCH', '/api/config', { body })).status, 200);
    await replaceThread(5);
    const reply = await service.call('GET', '/api/config', { headers: { host: 'after.example' } });
    assert.equal(at(reply.body, 'config', 'dns', 'blockTTL'), 77);
  });
});
