// Logs in and returns the session with everything that a request needs to use it. A refused login fails the
// test at once, because later steps would fail for a misleading reason.

import assert from 'node:assert/strict';

import { boot, type BootOptions, type Service } from '../../running/boot.ts';
import { at, describe, listAt, type Reply } from '../../running/reply.ts';
import { openClient, type Client } from './client.ts';

export const password = 'correct horse battery staple';

/** A service without HTTPS starts faster. */
export const quick = { SLUICE_WEB_HTTPS: '' };

export type Session = { readonly sid: string; readonly csrf: string };

export type AppPassword = { readonly id: number; readonly password: string };

/** A service whose password is set by the environment, and so pinned. */
export const bootWithPassword = (options: BootOptions = {}): Promise<Service> =>
  boot({ ...options, env: { ...quick, SLUICE_AUTH_PASSWORD: password, ...options.env } });

/** A service whose password can be changed through the API. */
export const bootWithStoredPassword = async (options: BootOptions = {}): Promise<Service> => {
  const env = { ...quick, SLUICE_AUTH_PASSWORD: undefined, ...options.env };
  const service = await boot({ ...options, env });
  await setPassword(service, password);
  return service;
};

export const setPassword = async (service: Service, text: string): Promise<void> => {
  const body = { config: { auth: { password: text } } };
  const reply = await openClient(service, { via: 'control' }).send('PATCH', '/api/config', { body });
  assert.equal(reply.status, 200, describe(reply));
};

export async function setMaxSessions(service: Service, maxSessions: number): Promise<void> {
  const body = { config: { auth: { maxSessions } } };
  const reply = await openClient(service, { via: 'control' }).send('PATCH', '/api/config', { body });
  assert.equal(reply.status, 200, describe(reply));
}

export const login = (client: Client, text: unknown, totp?: unknown): Promise<Reply> =>
  client.send('POST', '/api/auth', {
    body: totp === undefined ? { password: text } : { password: text, totp },
  });

const sessionOf = (reply: Reply): Session => {
  assert.equal(reply.status, 200, describe(reply));
  const [sid, csrf] = [at(reply.body, 'session', 'sid'), at(reply.body, 'session', 'csrf')];
  assert.ok(typeof sid === 'string' && typeof csrf === 'string', describe(reply));
  return { sid, csrf };
};

export const openSession = async (
  client: Client,
  text: string = password,
  totp?: unknown,
): Promise<Session> => sessionOf(await login(client, text, totp));

export const bySid = ({ sid }: Session): Readonly<Record<string, string>> => ({ 'X-SVC-SID': sid });

export const byCookie = ({ sid, csrf }: Session): Readonly<Record<string, string>> => ({
  cookie: `sid=${sid}`,
  'X-SVC-CSRF': csrf,
});

/** Whether a request with this session is accepted. */
export const isSessionValid = async (client: Client, session: Session): Promise<boolean> => {
  const { status } = await client.send('GET', '/api/groups', { headers: bySid(session) });
  assert.ok(status === 200 || status === 401, `GET /api/groups answered ${status}`);
  return status === 200;
};

/** Creates an application password through the control socket, which has all rights. */
export const createApp = async (service: Service, name: string, sudo = false): Promise<AppPassword> => {
  const local = openClient(service, { via: 'control' });
  const reply = await local.send('POST', '/api/auth/app', { body: { name, sudo } });
  assert.equal(reply.status, 201, describe(reply));
  return {
    id: Number(at(reply.body, 'app', 'id')),
    password: String(at(reply.body, 'app', 'password')),
  };
};

/** All sessions, read through the control socket. */
export const sessionsOf = async (service: Service): Promise<readonly unknown[]> => {
  const reply = await openClient(service, { via: 'control' }).send('GET', '/api/auth/sessions');
  return listAt(reply.body, 'sessions');
};
