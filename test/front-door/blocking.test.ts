// The blocking switch: a boolean, a timer that switches it back while the service runs or was stopped, and
// refused requests. The specification requires the state to be a boolean. The clock stands still unless a
// test moves it.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from '../running/boot.ts';
import { holdClock } from '../running/held-clock.ts';
import { assertError, at, describe as shown } from '../running/reply.ts';
import { until } from '../running/waiting.ts';
import { openClient } from './support/client.ts';
import { quick } from './support/session.ts';

const clock = holdClock();
const env = { ...quick, ...clock.env };
let service = await boot({ env });
after(() => service.stop());
let client = openClient(service);
const set = (body: unknown) => client.send('POST', '/api/dns/blocking', { body });
const state = async (): Promise<unknown> => {
  const { took, ...rest } = Object((await client.send('GET', '/api/dns/blocking')).body);
  assert.equal(typeof took, 'number');
  return rest;
};

describe('the blocking switch', { concurrency: 1 }, () => {
  test('is on and without a timer on a new service', async () => {
    assert.deepEqual(await state(), { blocking: true, timer: null, pauses: [] });
  });

  test('with null for group or client is refused with 400, and is not switched for all', async () => {
    for (const target of [{ group: null, client: null }, { group: null }, { client: null }])
      assert.equal((await set({ blocking: false, ...target })).status, 400);
    assert.deepEqual(await state(), { blocking: true, timer: null, pauses: [] });
    await set({ blocking: false, group: null, client: '192.0.2.5' });
    assert.deepEqual(at(await state(), 'pauses'), [{ client: '192.0.2.5', until: null }]);
    await set({ blocking: true, group: null, client: '192.0.2.5' });
    assert.deepEqual(await state(), { blocking: true, timer: null, pauses: [] });
  });

  test('is switched off and on, and the reply is the new state', async () => {
    for (const blocking of [false, false, true]) {
      const reply = await set({ blocking });
      assert.deepEqual(
        [reply.status, at(reply.body, 'blocking'), at(reply.body, 'timer')],
        [200, blocking, null],
      );
      assert.deepEqual(await state(), { blocking, timer: null, pauses: [] });
    }
  });

  test('reports the whole seconds that remain while a timer runs', async () => {
    const reply = await set({ blocking: false, timer: 300 });
    assert.equal(at(reply.body, 'timer'), 300, shown(reply));
    for (const [passedMs, left] of [
      [1, 300],
      [999, 299],
      [100_000, 199],
    ] as const) {
      clock.advance(passedMs);
      assert.deepEqual(await state(), { blocking: false, timer: left, pauses: [] });
    }
  });

  for (const timer of [null, 0, -5, undefined]) {
    test(`forgets a running timer when it is set with timer ${String(timer)}`, async () => {
      await set({ blocking: false, timer: 300 });
      const reply = await set({ blocking: false, timer });
      assert.equal(at(reply.body, 'timer'), null, shown(reply));
    });
  }

  for (const blocking of [false, true]) {
    test(`that was set to ${blocking} for 2 s is ${!blocking} after 2 s`, async () => {
      await set({ blocking: !blocking });
      await set({ blocking, timer: 2 });
      clock.advance(1_999);
      assert.deepEqual(await state(), { blocking, timer: 1, pauses: [] });
      clock.advance(1);
      const over = { blocking: !blocking, timer: null, pauses: [] };
      await until('The timer has fired', async () =>
        at(await state(), 'blocking') === blocking ? undefined : true,
      );
      assert.deepEqual(await state(), over);
      await until('The switch is stored', async () => {
        const { body } = await client.send('GET', '/api/config/dns/blocking/active');
        return at(body, 'config', 'dns', 'blocking', 'active') === blocking ? undefined : true;
      });
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
    test(`is refused with 400 ${key} for the body ${JSON.stringify(body)}`, async () => {
      await set({ blocking: true });
      const reply = await set(body);
      assertError(reply, { status: 400, key });
      if (key === 'body_error')
        assert.equal(at(reply.body, 'error', 'message'), 'No "blocking" boolean in body data');
      assert.deepEqual(await state(), { blocking: true, timer: null, pauses: [] });
    });
  }

  test('is the setting dns.blocking.active', async () => {
    await set({ blocking: false });
    const { body } = await client.send('GET', '/api/config/dns/blocking/active');
    assert.equal(at(body, 'config', 'dns', 'blocking', 'active'), false);
    await set({ blocking: true });
  });

  test('and its timer are kept over a restart, with the remaining seconds', async () => {
    await set({ blocking: false, timer: 600 });
    await restart(100_000);
    assert.deepEqual(await state(), { blocking: false, timer: 500, pauses: [] });
  });

  test('is on again after a restart when its timer ended while the service was stopped', async () => {
    await set({ blocking: false, timer: 1 });
    await restart(1_000);
    await until('Blocking is on again', async () => at(await state(), 'blocking') || undefined);
    assert.deepEqual(await state(), { blocking: true, timer: null, pauses: [] });
  });
});

/** Moves the clock while the service is stopped. */
async function restart(passedMs: number): Promise<void> {
  const { dir } = service;
  await service.stop();
  clock.advance(passedMs);
  service = await boot({ dir, env });
  client = openClient(service);
}
