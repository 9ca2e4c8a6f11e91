// The blocking switch: a boolean, a timer that turns it back while the service runs or after it was away, and
// what is refused. The specification fixes that the state is a boolean.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { boot, bootFor, type Service } from '../running/boot.ts';
import { temporaryFolder } from '../running/folder.ts';
import { assertError, at, describe as shown } from '../running/reply.ts';
import { until, withTime } from '../running/waiting.ts';
import { openClient, type Client } from './support/client.ts';
import { quick } from './support/seat.ts';

const service = await boot({ env: quick });
after(() => service.stop());
const client = openClient(service);
const set = (body: unknown, by: Client = client) => by.send('POST', '/api/dns/blocking', { body });
const state = async (by: Client = client): Promise<unknown> => {
  const { took, ...rest } = Object((await by.send('GET', '/api/dns/blocking')).body);
  assert.equal(typeof took, 'number');
  return rest;
};

describe('the blocking switch', { concurrency: 1 }, () => {
  test('on at first, without a timer', async () => {
    assert.deepEqual(await state(), { blocking: true, timer: null, pauses: [] });
  });

  test('null for a group or a client is the other, and never everybody', async () => {
    for (const nobody of [{ group: null, client: null }, { group: null }, { client: null }])
      assert.equal((await set({ blocking: false, ...nobody })).status, 400);
    assert.deepEqual(await state(), { blocking: true, timer: null, pauses: [] });
    await set({ blocking: false, group: null, client: '192.0.2.5' });
    assert.deepEqual(at(await state(), 'pauses'), [{ client: '192.0.2.5', until: null }]);
    await set({ blocking: true, group: null, client: '192.0.2.5' });
    assert.deepEqual(await state(), { blocking: true, timer: null, pauses: [] });
  });

  test('off and on, and the reply is the state', async () => {
    for (const blocking of [false, false, true]) {
      const reply = await set({ blocking });
      assert.deepEqual(
        [reply.status, at(reply.body, 'blocking'), at(reply.body, 'timer')],
        [200, blocking, null],
      );
      assert.deepEqual(await state(), { blocking, timer: null, pauses: [] });
    }
  });

  test('the timer counts whole seconds down', async () => {
    const reply = await set({ blocking: false, timer: 300 });
    assert.equal(at(reply.body, 'timer'), 300, shown(reply));
    await sleep(1_100);
    const left = Number(at(await state(), 'timer'));
    assert.ok(Number.isInteger(left) && left < 300 && left > 250, String(left));
  });

  for (const timer of [null, 0, -5, undefined]) {
    test(`no timer, and one that runs is forgotten: ${String(timer)}`, async () => {
      await set({ blocking: false, timer: 300 });
      const reply = await set({ blocking: false, timer });
      assert.equal(at(reply.body, 'timer'), null, shown(reply));
    });
  }

  for (const blocking of [false, true]) {
    test(`it fires while the service runs, back to ${!blocking}`, async () => {
      await withTime('It is seen before it fires', async (timer) => {
        await set({ blocking: !blocking });
        const begunMs = Date.now();
        await set({ blocking, timer: timer - 1 });
        const seen = at(await state(), 'blocking');
        if (Date.now() - begunMs >= (timer - 1) * 1000) return undefined;
        assert.equal(seen, blocking);
        return true;
      });
      await until('The timer fires', async () =>
        at(await state(), 'blocking') === blocking ? undefined : true,
      );
      assert.deepEqual(await state(), { blocking: !blocking, timer: null, pauses: [] });
    });
  }

  const wrong: readonly (readonly [body: unknown, key: string])[] = [
    [{}, 'body_error'],
    [{ blocking: 'enabled' }, 'body_error'],
    [{ blocking: 1 }, 'body_error'],
    [{ blocking: null }, 'body_error'],
    [{ timer: 5 }, 'body_error'],
    [{ blocking: true, timer: 'soon' }, 'bad_request'],
    [{ blocking: true, timer: 1e12 }, 'bad_request'],
    ['[', 'bad_request'],
  ];
  for (const [body, key] of wrong) {
    test(`400 ${key}: ${JSON.stringify(body)}`, async () => {
      await set({ blocking: true });
      const reply = await set(body);
      assertError(reply, { status: 400, key });
      if (key === 'body_error')
        assert.equal(at(reply.body, 'error', 'message'), 'No "blocking" boolean in body data');
      assert.deepEqual(await state(), { blocking: true, timer: null, pauses: [] });
    });
  }

  test('the state is the setting dns.blocking.active', async () => {
    await set({ blocking: false });
    const { body } = await client.send('GET', '/api/config/dns/blocking/active');
    assert.equal(at(body, 'config', 'dns', 'blocking', 'active'), false);
    await set({ blocking: true });
  });
});

describe('over a restart', () => {
  test('state and timer are kept; a timer that ended meanwhile fires after it', async (t) => {
    const dir = temporaryFolder();
    await during(t, dir, (by) => set({ blocking: false }, by));
    await during(t, dir, async (by) => {
      assert.deepEqual(await state(by), { blocking: false, timer: null, pauses: [] });
      await set({ blocking: false, timer: 600 }, by);
    });
    await during(t, dir, async (by) => {
      const left = Number(at(await state(by), 'timer'));
      assert.ok(left <= 600 && left > 500, String(left));
      await set({ blocking: false, timer: 1 }, by);
    });
    await sleep(1_000);
    await during(t, dir, async (by) => {
      await until('It is on again', async () => at(await state(by), 'blocking') || undefined);
      assert.deepEqual(await state(by), { blocking: true, timer: null, pauses: [] });
    });
  });

  test('pinned by the environment it cannot be switched, and the reply says so', async (t) => {
    const pinned = await bootFor(t, { env: { ...quick, SLUICE_DNS_BLOCKING_ACTIVE: 'true' } });
    assertError(await set({ blocking: false }, openClient(pinned)), { status: 400, key: 'bad_request' });
    assert.equal(at(await state(openClient(pinned)), 'blocking'), true);
  });
});

async function during(
  t: Parameters<typeof bootFor>[0],
  dir: string,
  work: (by: Client) => Promise<unknown>,
): Promise<void> {
  const running: Service = await bootFor(t, { dir, env: quick });
  await work(openClient(running));
  await running.stop();
}
