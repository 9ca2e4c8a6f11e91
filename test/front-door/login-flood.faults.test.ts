// A flood of logins, with a hash as expensive as it is by default: most of the flood is refused; meanwhile
// others are served and application passwords, which cost no hash, are accepted. How long right and wrong
// passwords take is measured by `npm run bench -- logins`.

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
  test('of thirty wrong ones at once is 401 or 429, and /api/health is 200 meanwhile', async () => {
    const health = openClient(service, { from: '127.0.0.2' });
    const guests = Array.from({ length: 30 }, (_, index) =>
      openClient(service, { from: `127.0.8.${index + 1}` }),
    );
    // They are connected first, so that they come at once.
    await Promise.all(guests.map((guest) => guest.send('GET', '/api/health')));
    const flood = Promise.all(guests.map((guest) => login(guest, 'wrong')));
    for (let count = 0; count < 12; count++)
      assert.equal((await health.send('GET', '/api/health')).status, 200);
    const statuses = (await flood).map(({ status }) => status);
    const refused = statuses.filter((status) => status === 429).length;
    assert.equal(statuses.filter((status) => status === 401).length, 30 - refused, statuses.join(' '));
    assert.ok(refused >= 10, `${refused} of 30 were refused`);
  });

  test('with an application password is 200 during a flood of wrong ones from its network', async () => {
    const app = await createApp(service, 'flooded');
    const flood = Array.from({ length: 12 }, (_, index) =>
      login(openClient(service, { from: `127.0.9.${index + 1}` }), 'wrong'),
    );
    assert.equal((await login(openClient(service, { from: '127.0.9.200' }), app.password)).status, 200);
    await Promise.all(flood);
  });
});
