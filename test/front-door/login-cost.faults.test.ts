// What a login costs, with a hash as expensive as it is by default: a flood of attempts is refused, and
// meanwhile others are served and application passwords, which cost no hash, are let in. How long right and
// wrong passwords take is compared on a machine with nothing else to do.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { openClient } from './support/client.ts';
import { memoryFolder } from './support/memory-folder.ts';
import { bootWithPassword, login, makeApp, password } from './support/seat.ts';

const service = await bootWithPassword({
  dir: memoryFolder(),
  env: { SLUICE_AUTH_MAX_SESSIONS: '200' },
});
after(() => service.stop());

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
};

const texts = { right: password, wrong: 'wrong', long: 'w'.repeat(1_000) };
const kinds = ['right', 'wrong', 'long'] as const;

/** What each kind of login takes, in the middle. */
const measure = async (): Promise<Record<(typeof kinds)[number], number>> => {
  const times = { right: [0], wrong: [0], long: [0] };
  for (let round = 0; round < 18; round++) {
    // A network of its own in each round, so that no limit on failures is reached.
    const client = openClient(service, { from: `127.1.${round}.1` });
    await client.send('GET', '/api/health');
    // Each kind is as often first, second and third.
    for (const [index] of kinds.entries()) {
      const kind = kinds[(index + round) % kinds.length] ?? 'right';
      const took = await timed(() => login(client, texts[kind]));
      if (round > 0) times[kind].push(took);
    }
  }
  return { right: median(times.right), wrong: median(times.wrong), long: median(times.long) };
};

describe('a login', { concurrency: 1 }, () => {
  test('takes between half and twice as long with a wrong password as with the right one', async () => {
    const { right, wrong, long } = await measure();
    const told = `right ${right.toFixed(1)} ms, wrong ${wrong.toFixed(1)} ms, long ${long.toFixed(1)} ms`;
    for (const other of [wrong, long]) assert.ok(other / right > 0.5 && other / right < 2, told);
  });

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
    const app = await makeApp(service, 'flooded');
    const flood = Array.from({ length: 12 }, (_, index) =>
      login(openClient(service, { from: `127.0.9.${index + 1}` }), 'wrong'),
    );
    assert.equal((await login(openClient(service, { from: '127.0.9.200' }), app.password)).status, 200);
    await Promise.all(flood);
  });
});
