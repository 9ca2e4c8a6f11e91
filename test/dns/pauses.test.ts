// Pauses for clients and groups, and schedules of groups, by real queries: in force when the reply arrives,
// over by themselves, and as they should be after the program was killed. Loopback has many addresses, so
// that one machine is many clients.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Service } from '../running/boot.ts';
import { temporaryFolder } from '../running/folder.ts';
import { assertError, at, describe as shown, listAt } from '../running/reply.ts';
import { until, withTime } from '../running/waiting.ts';
import { ask } from './support/clients.ts';
import { bootDns, portOf } from './support/service.ts';
import { startNamedUpstream } from './support/upstream.ts';

const blocked = '0.0.0.0';
const free = '192.0.2.1';
/** Configured by itself, in a range that is configured, and not at all. */
const [tablet, inRange, stranger] = ['127.0.0.20', '127.0.0.21', '127.0.0.90'];
const wholeWeek = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const graceSeconds = 30;

const scene = async (t: TestContext) => {
  const upstream = await startNamedUpstream(t, 0);
  const env = { SLUICE_DNS_UPSTREAMS: `127.0.0.1#${upstream.port}`, SLUICE_DNS_WORKERS: '1' };
  const dir = temporaryFolder();
  return { start: async () => handle(await bootDns(t, { dir, env })) };
};

const handle = async (service: Service) => {
  const port = await portOf(service);
  const answer = async (name: string, from: string): Promise<string> => {
    const seen = await ask('dig', { address: '127.0.0.1', port }, `${name} A -b ${from}`);
    return seen.answer[0]?.split(' ').at(-1) ?? seen.text;
  };
  const pause = (body: object) => service.call('POST', '/api/dns/blocking', { body });
  const must = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const reply = await service.call(method, path, { body });
    assert.ok([200, 201].includes(reply.status), shown(reply));
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

/** `zero.example` is blocked for everybody else, `games.example` for children. */
const configure = async ({ must }: Handle): Promise<void> => {
  const made = await must('POST', '/api/groups', { name: 'Children' });
  const children = at(made, 'groups', 0, 'id');
  await must('POST', '/api/domains/deny/exact', { domain: 'zero.example' });
  await must('POST', '/api/domains/deny/exact', { domain: 'games.example', groups: [children] });
  await must('POST', '/api/clients', { client: '127.0.0.16/28', groups: [children] });
  await must('POST', '/api/clients', { client: tablet, groups: [0, children] });
};

/** What each of the clients gets for each of the names: which are blocked. */
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

/** A window of every day from some seconds after now to some later ones, by the clock of a zone. */
const window = (fromSeconds: number, untilSeconds: number) => {
  const time = (seconds: number): string =>
    new Date(Math.ceil(Date.now() / 1000 + seconds) * 1000).toISOString().slice(11, 19);
  return { days: wholeWeek, from: time(fromSeconds), until: time(untilSeconds), time_zone: 'UTC' };
};

test('pauses and schedules', async (t) => {
  const { start } = await scene(t);
  const running = await start();
  const { pause, pauses } = running;
  await configure(running);

  await t.test('for a client: in force when the reply arrives, and so is its end', async () => {
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

  await t.test('for a group, by name or id; of the default group for whoever is not configured', async () => {
    for (const [group, name, change] of [
      ['Children', 'Children', { tablet: '', inRange: '' }],
      [0, 'Default', { tablet: '', stranger: '' }],
    ] as const) {
      await pause({ blocking: false, group, timer: 600 });
      assert.deepEqual(await state(running), { ...atRest, ...change }, name);
      const [[who, end] = []] = await pauses();
      assert.equal(who, name);
      assert.ok(Math.abs(Number(end) - Date.now() / 1000 - 600) < graceSeconds, String(end));
      await pause({ blocking: true, group });
      assert.deepEqual(await state(running), atRest);
    }
  });

  await t.test('end by themselves, and not early', async () => {
    const endsMs = await withTime('They are seen before their end', async (timer) => {
      const begunMs = Date.now();
      await pause({ blocking: false, client: tablet, timer: 600 });
      await pause({ blocking: false, client: tablet, timer });
      await pause({ blocking: false, group: 'Children', timer });
      const seen = await state(running);
      if (Date.now() - begunMs >= timer * 1000) return undefined;
      assert.deepEqual(seen, { ...atRest, tablet: '', inRange: '' });
      return begunMs + timer * 1000;
    });
    await until('Blocking goes on', async () =>
      (await running.answer('games.example', inRange)) === blocked ? true : undefined,
    );
    assert.ok(Date.now() >= endsMs);
    await until('All of them are over', async () => ((await pauses()).length === 0 ? true : undefined));
    assert.deepEqual(await state(running), atRest);
  });

  await t.test('that are not clear are refused, and nothing is paused', async () => {
    const rows: readonly (readonly [body: object, hint: RegExp])[] = [
      [{ blocking: false, group: 'Children', client: tablet }, /not both/u],
      [{ blocking: false, group: 'Nobody' }, /There is no group "Nobody"; GET \/api\/groups/u],
      [{ blocking: false, group: 77 }, /There is no group 77/u],
      [{ blocking: false, client: '1.2.3' }, /^1\.2\.3 is no address, range/u],
      [{ blocking: false, client: 'a b' }, /a b/u],
      [{ blocking: true, client: tablet, timer: 5 }, /leave the timer out/u],
      [{ blocking: false, client: 5 }, /^client: must be string or null/u],
      [{ blocking: false, client: null }, /^Nobody is named/u],
    ];
    for (const [body, hint] of rows) {
      const reply = await pause(body);
      assertError(reply, { status: 400, key: 'bad_request' });
      assert.match(String(at(reply.body, 'error', 'hint')), hint);
    }
    assert.deepEqual(await pauses(), []);
    assert.deepEqual(await state(running), atRest);
  });

  await t.test('blocking off for everybody stands above them, and is not changed by them', async () => {
    await pause({ blocking: false });
    await pause({ blocking: true, client: tablet });
    assert.deepEqual(await state(running), { tablet: '', inRange: '', stranger: '' });
    await pause({ blocking: true });
    assert.deepEqual(await state(running), atRest);
  });

  await t.test('schedules let a group in and out at their time', async () => {
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

    const closes = await withTime('It is seen before, within and after its time', async (seconds) => {
      const changed = await set(window(seconds, 2 * seconds + 1));
      const opens = Number(at(changed, 'groups', 0, 'schedule', 'next_change'));
      assert.deepEqual(at(changed, 'groups', 0, 'schedule'), { active: false, next_change: opens });
      const before = await answer('games.example', inRange);
      if (Date.now() / 1000 >= opens) return undefined;
      assert.equal(before, free);
      await untilIs(blocked);
      assert.ok(Date.now() / 1000 >= opens);
      const during = await scheduled();
      const end = opens + seconds + 1;
      if (Date.now() / 1000 >= end) return undefined;
      assert.deepEqual(during, { active: true, next_change: end });
      return end;
    });
    await untilIs(free);
    assert.ok(Date.now() / 1000 >= closes);
    assert.equal(at(await scheduled(), 'active'), false);
  });

  await t.test('killed in the middle, what holds afterwards is what the time says', async () => {
    const { must, service } = running;
    await pause({ blocking: false, client: stranger });
    await pause({ blocking: false, client: '127.0.0.22', timer: 600 });
    const endsMs = await withTime('It is seen before its time is over', async (timer) => {
      const begunMs = Date.now();
      await pause({ blocking: false, client: tablet, timer });
      await must('PATCH', '/api/groups/Children', { schedules: [window(-60, timer)] });
      const seen = await state(running);
      if (Date.now() - begunMs >= timer * 1000) return undefined;
      assert.deepEqual(seen, { tablet: '', inRange: 'games', stranger: '' });
      return Date.now() + timer * 1000;
    });
    await service.kill();
    await sleep(Math.max(0, endsMs + 1_000 - Date.now()));

    const after = await start();
    const expected = { tablet: 'zero', inRange: '', stranger: '' };
    await until('The plan is corrected', async () =>
      JSON.stringify(await state(after)) === JSON.stringify(expected) ? true : undefined,
    );
    const left = await after.pauses();
    assert.deepEqual(
      left.map(([who]) => who),
      [stranger, '127.0.0.22'],
    );
    assert.equal(left[0]?.[1], null);
    await after.pause({ blocking: true, client: stranger });
    assert.deepEqual(await state(after), { ...expected, stranger: 'zero' });
  });
});
