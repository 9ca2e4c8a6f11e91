// A flood of logins against a hash with the default cost: most of the flood is refused; meanwhile other
// clients are served, and application passwords, which need no such hash, are accepted. `npm run bench --
// logins` measures the duration of correct and wrong passwords.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { openClient } from './support/client.ts';
import { memoryFolder } from './support/memory-folder.ts';
import { bootWithPassword, login, createApp } from './support/session.ts';

const service = await bootWithPassword({
  dir: memoryFolder(),
  env: { SLUICE_AUTH_MAX_SESSIONS: '200' },
});
after(() => service.stop());

describe('a login', { concurrency: 1 }, () => {
  test('with a wrong password, thirty at once, gets 401 or 429, and /api/health gets 200', async () => {
    const health = openClient(service, { from: '127.0.0.2' });
    const guests = Array.from({ length: 30 }, (_, index) =>
      openClient(service, { from: `127.0.8.${index + 1}` }),
    );
    // All clients connect first, so that their logins arrive at the same time.
    await Promise.all(guests.map((guest) => guest.send('GET', '/api/health')));
    const flood = Promise.all(guests.map((guest) => login(guest, 'wrong')));
    for (let count = 0; count < 12; count++)
      assert.equal((await health.send('GET', '/api/health')).status, 200);
    const statuses = (await flood).map(({ status }) => status);
    const refused = statuses.filter((status) => status === 429).length;
    assert.equal(statuses.filter((status) => status === 401).length, 30 - refused, statuses.join(' '));
    assert.ok(refused >= 10, `${refused} of 30 were refused`);
  });

  test('with an application password gets 200 during a flood from the same network', async () => {
    const app = await createApp(service, 'flooded');
    const flood = Array.from({ length: 12 }, (_, index) =>
      login(openClient(service, { from: `127.0.9.${index + 1}` }), 'wrong'),
    );
    assert.equal((await login(openClient(service, { from: '127.0.9.200' }), app.password)).status, 200);
    await Promise.all(flood);
  });
});
