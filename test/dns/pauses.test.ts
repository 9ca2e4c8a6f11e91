// Pauses for clients and groups, and schedules of groups, tested with real queries: they are in force when
// the reply arrives, end on time, and are kept when the program is killed. Loopback has many addresses, so
// one machine acts as many clients. The clock stands still unless a test moves it.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import type { Service } from '../running/boot.ts';
import { temporaryFolder } from '../running/folder.ts';
import { holdClock } from '../running/held-clock.ts';
import { assertError, at, describe as shown, listAt } from '../running/reply.ts';
import { until } from '../running/waiting.ts';
import { runQuery } from './support/clients.ts';
import { bootDns, portOf } from './support/service.ts';
import { startNamedUpstream } from './support/upstream.ts';

const blocked = '0.0.0.0';
const free = '192.0.2.1';
/** One configured client, one in a configured range, and one that is not configured. */
const [tablet, inRange, stranger] = ['127.0.0.20', '127.0.0.21', '127.0.0.90'];
const wholeWeek = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
/** It starts at a whole second, because pauses end at one. */
const clock = holdClock(Math.ceil(Date.now() / 1000) * 1000);
const nowSeconds = (): number => clock.nowMs() / 1000;

const scene = async (t: TestContext) => {
  const upstream = await startNamedUpstream(t, 0);
  const env = {
    ...clock.env,
    SLUICE_DNS_UPSTREAMS: `127.0.0.1#${upstream.port}`,
    SLUICE_DNS_WORKERS: '1',
  };
  const dir = temporaryFolder();
  return { start: async () => handle(await bootDns(t, { dir, env })) };
};

const handle = async (service: Service) => {
  const port = await portOf(service);
  const answer = async (name: string, from: string): Promise<string> => {
    const seen = await runQuery('dig', { address: '127.0.0.1', port }, `${name} A -b ${from}`);
    return seen.answer[0]?.split(' ').at(-1) ?? seen.text;
  };
  const pause = (body: object) => service.call('POST', '/api/dns/blocking', { body });
  const must = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const reply = await service.call(method, path, { body });
    assert.equal(reply.status, method === 'POST' ? 201 : 200, shown(reply));
    return reply.body;
  };
  const pauses = async () =>
    listAt((await service.call('GET', '/api/dns/blocking')).body, 'pauses').map((row) => [
      at(row, 'group') ?? at(row, 'client'),
      at(row, 'until'),
    ]);
  return { service, answer, pause, must, pauses };
};

type Handle = Awaited<ReturnType<typeof handle>>;

/** `games.example` is blocked for children, `zero.example` for all other clients. */
const configure = async ({ must }: Handle): Promise<void> => {
  const made = await must('POST', '/api/groups', { name: 'Children' });
  const children = at(made, 'groups', 0, 'id');
  await must('POST', '/api/domains/deny/exact', { domain: 'zero.example' });
  await must('POST', '/api/domains/deny/exact', { domain: 'games.example', groups: [children] });
  await must('POST', '/api/clients', { client: '127.0.0.16/28', groups: [children] });
  await must('POST', '/api/clients', { client: tablet, groups: [0, children] });
};

/** Which names are blocked for each of the clients. */
const state = async ({ answer }: Handle): Promise<Record<string, string>> => {
  const clients = { tablet, inRange, stranger };
  const rows = await Promise.all(
    Object.entries(clients).map(async ([who, from]) => {
      const [zero, games] = [await answer('zero.example', from), await answer('games.example', from)];
      for (const one of [zero, games]) assert.ok([blocked, free].includes(one), one);
      return [who, `${zero === blocked ? 'zero ' : ''}${games === blocked ? 'games' : ''}`.trim()];
    }),
  );
  return Object.fromEntries(rows);
};

const atRest = { tablet: 'zero games', inRange: 'games', stranger: 'zero' };

/** A daily window between two offsets in seconds from now. */
const window = (fromSeconds: number, untilSeconds: number) => {
  const time = (seconds: number): string =>
    new Date(clock.nowMs() + seconds * 1000).toISOString().slice(11, 19);
  return { days: wholeWeek, from: time(fromSeconds), until: time(untilSeconds), time_zone: 'UTC' };
};

test('pauses of blocking and schedules of groups', async (t) => {
  const { start } = await scene(t);
  const running = await start();
  const { pause, pauses } = running;
  await configure(running);

  await t.test('a pause for a client is in force when the reply arrives, and so is its end', async () => {
    assert.deepEqual(await state(running), atRest);
    const cases: readonly (readonly [client: string, change: object])[] = [
      [tablet, { tablet: '' }],
      [inRange, { inRange: '' }],
      [stranger, { stranger: '' }],
      ['127.0.0.20/30', { tablet: '', inRange: '' }],
    ];
    for (const [client, change] of cases) {
      const reply = await pause({ blocking: false, client });
      assert.deepEqual([reply.status, at(reply.body, 'blocking')], [200, true], shown(reply));
      assert.deepEqual(await state(running), { ...atRest, ...change }, client);
      assert.deepEqual(await pauses(), [[client, null]]);
      await pause({ blocking: true, client });
      assert.deepEqual(await state(running), atRest);
    }
  });

  await t.test(
    'a pause for a group by name or id applies to its clients; all others are in the default group',
    async () => {
      for (const [group, name, change] of [
        ['Children', 'Children', { tablet: '', inRange: '' }],
        [0, 'Default', { tablet: '', stranger: '' }],
      ] as const) {
        await pause({ blocking: false, group, timer: 600 });
        assert.deepEqual(await state(running), { ...atRest, ...change }, name);
        const [[who, end] = []] = await pauses();
        assert.equal(who, name);
        assert.equal(end, nowSeconds() + 600);
        await pause({ blocking: true, group });
        assert.deepEqual(await state(running), atRest);
      }
    },
  );

  await t.test('a pause of 2 s lasts until its last millisecond and then ends', async () => {
    await pause({ blocking: false, client: tablet, timer: 600 });
    await pause({ blocking: false, client: tablet, timer: 2 });
    await pause({ blocking: false, group: 'Children', timer: 2 });
    clock.advance(1_999);
    assert.deepEqual(await state(running), { ...atRest, tablet: '', inRange: '' });
    clock.advance(1);
    await until('Blocking is on again', async () =>
      (await running.answer('games.example', inRange)) === blocked ? true : undefined,
    );
    assert.deepEqual(await pauses(), []);
    assert.deepEqual(await state(running), atRest);
  });

  await t.test(
    'a pause with an unclear target or end is refused with 400, and nothing is paused',
    async () => {
      const rows: readonly (readonly [body: object, hint: RegExp])[] = [
        [{ blocking: false, group: 'Children', client: tablet }, /not both/u],
        [{ blocking: false, group: 'Absent' }, /There is no group "Absent"; GET \/api\/groups/u],
        [{ blocking: false, group: 77 }, /There is no group 77/u],
        [{ blocking: false, client: '1.2.3' }, /^1\.2\.3 is no address, range/u],
        [{ blocking: false, client: 'a b' }, /a b/u],
        [{ blocking: true, client: tablet, timer: 5 }, /leave the timer out/u],
        [{ blocking: false, client: 5 }, /^client: must be string or null/u],
        [{ blocking: false, client: null }, /^Name a group or a client, or leave both out/u],
      ];
      for (const [body, hint] of rows) {
        const reply = await pause(body);
        assertError(reply, { status: 400, key: 'bad_request' });
        assert.match(String(at(reply.body, 'error', 'hint')), hint);
      }
      assert.deepEqual(await pauses(), []);
      assert.deepEqual(await state(running), atRest);
    },
  );

  await t.test('blocking that is off for all stays off when the pause of one client ends', async () => {
    await pause({ blocking: false });
    await pause({ blocking: true, client: tablet });
    assert.deepEqual(await state(running), { tablet: '', inRange: '', stranger: '' });
    await pause({ blocking: true });
    assert.deepEqual(await state(running), atRest);
  });

  await t.test('a schedule switches the rules of a group on and off at its times', async () => {
    const { must, answer, service } = running;
    const set = (...schedules: object[]) => must('PATCH', '/api/groups/Children', { schedules });
    const untilIs = (wanted: string) =>
      until(`It is ${wanted}`, async () =>
        (await answer('games.example', inRange)) === wanted ? true : undefined,
      );
    const scheduled = async () =>
      at((await service.call('GET', '/api/groups/Children')).body, 'groups', 0, 'schedule');

    await set(window(-60, 600));
    assert.equal(await answer('games.example', inRange), blocked);
    await set(window(600, 900));
    assert.equal(
      await answer('games.example', inRange),
      free,
      'A change is in force when the reply arrives.',
    );

    const [opens, closes] = [nowSeconds() + 10, nowSeconds() + 30];
    const changed = await set(window(10, 30));
    const before = { active: false, next_change: opens };
    assert.deepEqual(at(changed, 'groups', 0, 'schedule'), before);
    clock.advance(9_999);
    assert.deepEqual([await answer('games.example', inRange), await scheduled()], [free, before]);
    clock.advance(1);
    await untilIs(blocked);
    assert.deepEqual(await scheduled(), { active: true, next_change: closes });
    clock.advance(20_000);
    await untilIs(free);
    assert.equal(at(await scheduled(), 'active'), false);
  });

  await t.test('after kill -9 pauses and schedules that have not ended are in force', async () => {
    const { must, service } = running;
    await pause({ blocking: false, client: stranger });
    await pause({ blocking: false, client: '127.0.0.22', timer: 600 });
    await pause({ blocking: false, client: tablet, timer: 60 });
    await must('PATCH', '/api/groups/Children', { schedules: [window(-60, 60)] });
    assert.deepEqual(await state(running), { tablet: '', inRange: 'games', stranger: '' });
    await service.kill();
    clock.advance(60_000);

    const after = await start();
    const expected = { tablet: 'zero', inRange: '', stranger: '' };
    await until('The plan is corrected', async () =>
      JSON.stringify(await state(after)) === JSON.stringify(expected) ? true : undefined,
    );
    const left = await after.pauses();
    assert.deepEqual(left, [
      [stranger, null],
      ['127.0.0.22', nowSeconds() + 540],
    ]);
    await after.pause({ blocking: true, client: stranger });
    assert.deepEqual(await state(after), { ...expected, stranger: 'zero' });
  });
});
