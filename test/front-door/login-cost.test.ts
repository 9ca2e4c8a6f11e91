// What a login costs, with a hash as expensive as it is by default: right and wrong passwords take equally
// long, so that time tells nothing, and a flood of attempts is refused instead of keeping anybody waiting.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { openClient } from './support/client.ts';
import { memoryFolder } from './support/memory-folder.ts';
import { bootWithPassword, login, makeApp, password } from './support/seat.ts';

const service = await bootWithPassword({
  dir: memoryFolder(),
  env: { SLUICE_AUTH_MAX_SESSIONS: '200' },
});
after(() => service.stop());

/** Thirty hashes take seconds, one after the other; whoever waits for them waits as long. */
const waitMaxMs = 200;
const measuringsMax = 3;

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
const measure = async (measuring: number): Promise<Record<(typeof kinds)[number], number>> => {
  const times = { right: [0], wrong: [0], long: [0] };
  for (let round = 0; round < 18; round++) {
    const client = openClient(service, { from: `127.1.${measuring}.${round + 1}` });
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

describe('the cost of a login', { concurrency: 1 }, () => {
  test('right and wrong passwords take equally long', async () => {
    // Something else may have kept the machine busy with one of them.
    const told: string[] = [];
    for (let measuring = 0; measuring < measuringsMax; measuring++) {
      const { right, wrong, long } = await measure(measuring);
      told.push(`right ${right.toFixed(1)} ms, wrong ${wrong.toFixed(1)} ms, long ${long.toFixed(1)} ms`);
      assert.ok(right > 5, `A hash takes its time: ${told.join('; ')}`);
      if ([wrong, long].every((other) => other / right > 0.5 && other / right < 2)) return;
    }
    assert.fail(told.join('; '));
  });

  test('thirty wrong logins at once: some are 429, and nobody else waits', async () => {
    await sleep(1_100);
    const health = openClient(service, { from: '127.0.0.2' });
    await health.send('GET', '/api/health');
    const guests = Array.from({ length: 30 }, (_, index) =>
      openClient(service, { from: `127.0.8.${index + 1}` }),
    );
    // They are connected, so that they come at once on a slow machine, too.
    await Promise.all(guests.map((guest) => guest.send('GET', '/api/health')));
    const flood = guests.map((guest) => login(guest, 'wrong'));
    const waits: number[] = [];
    const done = Promise.all(flood);
    for (let count = 0; count < 12; count++) {
      waits.push(await timed(() => health.send('GET', '/api/health')));
      await sleep(20);
    }
    const statuses = (await done).map(({ status }) => status);
    assert.ok(
      statuses.every((status) => status === 401 || status === 429),
      statuses.join(' '),
    );
    const refused = statuses.filter((status) => status === 429).length;
    assert.ok(refused >= 10 && refused < 30, `${refused} of 30 were refused`);
    const told = waits.map((wait) => wait.toFixed(0)).join(' ');
    assert.ok(median(waits) < waitMaxMs, `/api/health took ${told} ms`);
  });

  test('an application password costs no hash and is let in during a flood', async () => {
    await sleep(1_100);
    const app = await makeApp(service, 'flooded');
    const flood = Array.from({ length: 12 }, (_, index) =>
      login(openClient(service, { from: `127.0.9.${index + 1}` }), 'wrong'),
    );
    assert.equal((await login(openClient(service, { from: '127.0.0.3' }), app.password)).status, 200);
    await Promise.all(flood);
  });
});
