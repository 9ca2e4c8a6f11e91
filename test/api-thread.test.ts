// The api thread is killed (SIGUSR2 replaces all threads without warning them). main owns the sockets and
// their queues, so clients that connect in between wait and are served by the next thread.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from './running/boot.ts';
import type { Via } from './running/client.ts';
import { at } from './running/reply.ts';
import { until, within } from './running/waiting.ts';

const ways: readonly Via[] = ['http', 'https', 'h2', 'control'];
const service = await boot();
after(() => service.stop());
let replaced = 0;

async function threadOf(): Promise<unknown> {
  const { body } = await service.call('GET', '/api/status', { via: 'control' });
  return at(body, 'status', 'threads', 0);
}

/** Kills the thread and waits until main has logged its replacement. */
async function replaceThread(): Promise<void> {
  replaced++;
  service.signal('SIGUSR2');
  await until('The log says that the api thread is replaced', () =>
    service.log().split('The thread api is replaced').length > replaced ? true : undefined,
  );
}

describe('an api thread that is killed', () => {
  test('is replaced, and requests that arrive in between are answered', async () => {
    const name = 'written before';
    assert.equal((await service.call('POST', '/api/groups', { body: { name } })).status, 201);
    await replaceThread();
    const asked = Array.from({ length: 40 }, (_, index) =>
      service.call('GET', '/api/groups', { via: ways[index % ways.length] ?? 'http' }),
    );
    for (const reply of await within('All 40 are answered', 60_000, Promise.all(asked))) {
      assert.equal(reply.status, 200);
      assert.ok(reply.text.includes(`"${name}"`), reply.text);
    }
  });

  test('is counted in GET /api/status with the reason, and prints no second start screen', async () => {
    const thread = await until('The thread runs', async () => {
      const found = await threadOf();
      return at(found, 'state') === 'running' ? found : undefined;
    });
    assert.equal(at(thread, 'restarts'), replaced);
    assert.match(String(at(thread, 'last_failure')), /SIGUSR2/);
    await until('The start screen is printed', () => (service.out().includes('Degraded') ? true : undefined));
    assert.equal(service.out().split('is running').length, 2, service.out());
  });

  test('loses no acknowledged write', async () => {
    const acknowledged: string[] = [];
    const write = async (client: number): Promise<void> => {
      for (let count = 0; count < 40; count++) {
        const name = `client ${client} write ${count}`;
        // The connection to the ended thread is cut; that write was not acknowledged.
        const reply = await service.call('POST', '/api/groups', { body: { name } }).catch(() => undefined);
        if (reply?.status === 201) acknowledged.push(name);
      }
    };
    const clients = [1, 2, 3, 4].map(write);
    await until('The clients write', () => (acknowledged.length >= 4 ? true : undefined));
    await replaceThread();
    await Promise.all(clients);
    const { text } = await service.call('GET', '/api/groups');
    assert.deepEqual(
      acknowledged.filter((name) => !text.includes(`"${name}"`)),
      [],
    );
  });

  test('is replaced by one that has the settings changed before', async () => {
    const body = { config: { dns: { blockTTL: 77 }, web: { hosts: ['after.example'] } } };
    assert.equal((await service.call('PATCH', '/api/config', { body })).status, 200);
    await replaceThread();
    const reply = await service.call('GET', '/api/config', { headers: { host: 'after.example' } });
    assert.equal(at(reply.body, 'config', 'dns', 'blockTTL'), 77);
  });
});
