// The real program with DNS on loopback or in a network namespace, and helpers that read and change its state
// through the API.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { bootFor, type BootOptions, type Service } from '../../running/boot.ts';
import { at, describe, listAt, type Reply } from '../../running/reply.ts';
import { until } from '../../running/waiting.ts';

/** A service with DNS and plain HTTP only; DNS settings in the environment are pinned. */
export const bootDns = (t: TestContext, options: BootOptions = {}): Promise<Service> =>
  bootFor(t, {
    ...options,
    env: { SLUICE_WEB_HTTPS: '', SLUICE_DNS_LISTEN: '127.0.0.1:0', ...options.env },
  });

export type Listening = { readonly address: string; readonly port: number };

/** The DNS listeners, in the order of the setting. */
export const listeningOf = async (service: Service): Promise<readonly Listening[]> => {
  const { body } = await service.call('GET', '/api/status', { via: 'control' });
  return listAt(body, 'status', 'listeners')
    .filter((row) => at(row, 'setting') === 'dns.listen')
    .map((row) => ({ address: String(at(row, 'address')), port: Number(at(row, 'port')) }));
};

export const portOf = async (service: Service, address = '127.0.0.1'): Promise<number> => {
  const found = (await listeningOf(service)).find((one) => one.address.includes(address));
  assert.ok(found !== undefined, `DNS does not listen on ${address}.`);
  return found.port;
};

/** Changes DNS settings; they are in force when the reply comes. */
export const setDns = (service: Service, dns: Readonly<Record<string, unknown>>): Promise<Reply> =>
  service.call('PATCH', '/api/config', { body: { config: { dns } }, via: 'control' });

export const mustSetDns = async (service: Service, dns: Readonly<Record<string, unknown>>): Promise<void> => {
  const reply = await setDns(service, dns);
  assert.equal(reply.status, 200, describe(reply));
};

export type Thread = { readonly name: string; readonly state: string; readonly restarts: number };

export const threadsOf = async (service: Service): Promise<readonly Thread[]> => {
  const { body } = await service.call('GET', '/api/status', { via: 'control' });
  return listAt(body, 'status', 'threads').map((row) => ({
    name: String(at(row, 'name')),
    state: String(at(row, 'state')),
    restarts: Number(at(row, 'restarts')),
  }));
};

/**
 * All threads run, none has died, and no log line blames a packet. A thread that got no CPU for a second on a
 * busy machine may have been replaced.
 */
export const assertNoThreadDied = async (service: Service): Promise<void> => {
  await until('All threads run', async () =>
    (await threadsOf(service)).every(({ state }) => state === 'running') ? true : undefined,
  );
  const lines = service.log().split('\n');
  assert.deepEqual(
    lines.filter((line) => /The thread \w+ died| packet=/u.test(line)),
    [],
  );
};
