// The complete authentication matrix: way of sending the SID x state of the session x kind of endpoint x
// transport x password set or not. Each cell is a request to a running service, compared with the model. All
// cells of a transport share their sessions; afterwards the tests check that no cell changed a session.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { boot } from '../running/boot.ts';
import { at, describe as shown, type Reply } from '../running/reply.ts';
import { cheap } from './support/cheap-password.ts';
import { openClient, type Client, type ClientOptions } from './support/client.ts';
import {
  expectedStatus,
  targets,
  unknownSid,
  ways,
  type Carried,
  type State,
  type Target,
} from './support/matrix-model.ts';
import { bootWithPassword, bySid, isSessionValid, createApp, openSession } from './support/session.ts';

const proxy = '127.0.0.9';
const both = { SLUICE_WEB_HTTPS: '127.0.0.1:0', SLUICE_WEB_TRUSTED_PROXIES: proxy };
const [closed, open] = await Promise.all([
  bootWithPassword({ env: { ...both, ...cheap, SLUICE_AUTH_MAX_SESSIONS: '200' } }),
  boot({ env: both }),
]);
after(() => Promise.all([closed.stop(), open.stop()]));
const [plainApp, sudoApp] = await Promise.all([createApp(closed, 'plain'), createApp(closed, 'sudo', true)]);

type Transport = { readonly name: string; readonly here: ClientOptions; readonly elsewhere: ClientOptions };

const behind = (address: string): ClientOptions => ({
  from: proxy,
  headers: { 'X-Forwarded-For': address },
});
const transports: readonly Transport[] = [
  { name: 'HTTP/1.1', here: {}, elsewhere: { from: '127.0.0.2' } },
  { name: 'HTTPS', here: { via: 'https' }, elsewhere: { via: 'https', from: '127.0.0.2' } },
  { name: 'HTTP/2', here: { via: 'h2' }, elsewhere: { via: 'h2', from: '127.0.0.2' } },
  { name: 'a trusted proxy', here: behind('203.0.113.5'), elsewhere: behind('203.0.113.6') },
  { name: 'the control socket', here: { via: 'control' }, elsewhere: {} },
];

for (const { name, here, elsewhere } of transports) {
  describe(`with a password over ${name}, a SID by`, async () => {
    const client = openClient(closed, here);
    const local = here.via === 'control';
    const states = await statesFor(local ? openClient(closed) : client, openClient(closed, elsewhere));
    testWays(client, states, local);

    test('any of these ends or revives no session', async () => {
      for (const state of states.filter(({ sid }) => sid !== '' && !local)) {
        assert.equal(await isSessionValid(client, state), state.right !== 'none', state.name);
      }
    });
  });

  describe(`without a password over ${name}, a SID by`, () => {
    // The service ignores credentials without a password, so two states are enough.
    const states = ['', unknownSid].map((sid): State => ({ name: sid, sid, csrf: sid, right: 'none' }));
    testWays(openClient(open, here), states, true);
  });
}

describe('DELETE /api/auth', () => {
  for (const { name, here, elsewhere } of transports.slice(0, -1)) {
    test(`over ${name} ends the session of its SID and no other`, async () => {
      const [client, other] = [openClient(closed, here), openClient(closed, elsewhere)];
      const logout: Target = { name, method: 'DELETE', path: '/api/auth', access: 'session', status: 410 };
      for (const way of ways) {
        const session = await openSession(client, plainApp.password);
        const state: State = { name: 'valid', ...session, right: 'session' };
        const wanted = expectedStatus({ isOpenToAll: false }, way, state, logout);
        const reply = await sendCell(client, logout, way.carry(state));
        assert.equal(reply.status, wanted, `${way.name}: ${shown(reply)}`);
        assert.equal(await isSessionValid(client, session), wanted !== 410, way.name);
        assert.equal((await other.send('DELETE', '/api/auth', { headers: bySid(session) })).status, 401);
        await client.send('DELETE', '/api/auth', { headers: bySid(session) });
      }
    });
  }
});

/** One test for each way of sending the SID, with all endpoints and states. */
function testWays(client: Client, states: readonly State[], isOpenToAll: boolean): void {
  for (const way of ways) {
    test(`${way.name} gets the status of the model from every endpoint`, async () => {
      const cells = targets.flatMap((target) => states.map((state) => ({ target, state })));
      const wrong = await Promise.all(
        cells.map(async ({ target, state }) => {
          const wanted = expectedStatus({ isOpenToAll }, way, state, target);
          const reply = await sendCell(client, target, way.carry(state));
          const isRight = reply.status === wanted && hasExpectedError(reply);
          return isRight ? [] : [`${target.name}, ${state.name}: wanted ${wanted}, got ${shown(reply)}`];
        }),
      );
      assert.deepEqual(wrong.flat(), []);
    });
  }
}

function hasExpectedError({ status, body }: Reply): boolean {
  const key = at(body, 'error', 'key');
  if (status === 401) return key === 'unauthorized';
  if (status === 403) return key === 'forbidden';
  return status < 400 ? key === undefined : typeof key === 'string';
}

function sendCell(client: Client, { method, path, body }: Target, carried: Carried): Promise<Reply> {
  const headers = {
    ...carried.headers,
    ...(carried.cookie === undefined ? {} : { cookie: `theme=dark; sid=${carried.cookie}` }),
    ...(carried.csrf === undefined ? {} : { 'X-SVC-CSRF': carried.csrf }),
  };
  const sent = carried.body === undefined ? body : { ...body, sid: carried.body };
  const query = carried.query === undefined ? '' : `?sid=${encodeURIComponent(carried.query)}`;
  return client.send(method, `${path}${query}`, { headers, body: sent });
}

async function statesFor(here: Client, elsewhere: Client): Promise<readonly State[]> {
  const [valid, ended, foreign, app, sudo] = await Promise.all([
    openSession(here),
    openSession(here, plainApp.password),
    openSession(elsewhere, sudoApp.password),
    openSession(here, plainApp.password),
    openSession(here, sudoApp.password),
  ]);
  assert.equal((await here.send('DELETE', '/api/auth', { headers: bySid(ended) })).status, 410);
  return [
    { name: 'none', sid: '', csrf: '', right: 'none' },
    { name: 'valid', ...valid, right: 'sudo' },
    { name: 'logged out', ...ended, right: 'none' },
    { name: 'unknown', sid: unknownSid, csrf: unknownSid, right: 'none' },
    { name: 'of another address', ...foreign, right: 'none' },
    { name: 'of an application password', ...app, right: 'session' },
    { name: 'of one with sudo', ...sudo, right: 'sudo' },
  ];
}
