// Which servers lists may be downloaded from, depending on the rights of the user who added them: in a
// network namespace with public, private, link-local and loopback addresses, names that resolve to any of
// them, and servers that redirect to others.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { boot, type Service } from '../running/boot.ts';
import { noNamespace } from '../running/namespace.ts';
import { at, describe as shown, listAt } from '../running/reply.ts';
import { cheap } from '../front-door/support/cheap-password.ts';
import { createApp } from '../front-door/support/session.ts';
import { runTool } from './support/clients.ts';
import {
  dnsPort,
  listPort,
  nameOf,
  publicAddress,
  rebindingName,
  startListServers,
} from './support/list-servers.ts';
import { openNetwork } from './support/network.ts';

const addresses = {
  public: publicAddress,
  private: '192.168.7.1',
  'link-local': '169.254.7.1',
  loopback: '127.0.0.1',
  own: '198.51.100.9',
} as const;
type Place = keyof typeof addresses;
const places: readonly Place[] = ['public', 'private', 'link-local', 'loopback', 'own'];

/** A list at this place: by address, by name, and by a redirect from a public server. */
const ways: Readonly<Record<string, (who: string, place: Place) => string>> = {
  address: (who, place) => urlOf(addresses[place], `/${who}-address-${place}`),
  name: (who, place) => urlOf(nameOf(addresses[place]), `/${who}-name-${place}`),
  redirect: (who, place) =>
    urlOf(publicAddress, `/to/${encodeURIComponent(urlOf(addresses[place], `/${who}-redirect-${place}`))}`),
};

function urlOf(host: string, path: string): string {
  return `http://${host}:${listPort}${path}`;
}

const listsOf = (who: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    places.flatMap((place) =>
      Object.entries(ways).map(([way, make]) => [`${way} ${place}`, make(who, place)]),
    ),
  );

test('lists are downloaded from servers that their rights allow:', { skip: noNamespace }, async (t) => {
  const { wrap } = await openNetwork(t, [`${addresses.own}/32`]);
  // Only routes, so that no interface of the machine has these addresses.
  for (const place of ['public', 'private', 'link-local'] as const)
    await runTool(wrap, 'ip', ['route', 'add', 'local', addresses[place], 'dev', 'lo']);
  const servers = await startListServers(t, wrap);
  const env = { ...cheap, SLUICE_WEB_HTTPS: '', SLUICE_LISTS_ALLOW_LOCAL: undefined };
  const upstreams = { SLUICE_DNS_UPSTREAMS: `127.0.0.1#${dnsPort}` };
  const service = await boot({ wrap, env: { ...env, ...upstreams } });
  t.after(() => service.stop());
  await removeAll(service);
  const { password } = await createApp(service, 'limited');
  const rebinding = urlOf(rebindingName, `/to/${encodeURIComponent(urlOf(rebindingName, '/rebound'))}`);
  await addAs(wrap, service, password, [...Object.values(listsOf('limited')), rebinding]);
  const body = { address: Object.values(listsOf('sudo')) };
  const added = await service.call('POST', '/api/lists?type=block', { via: 'control', body });
  assert.equal(added.status, 201, shown(added));

  const problems = await updateAll(service);
  await t.test('public servers without sudo, also private ones with sudo, in every form of address', () => {
    assert.deepEqual(reached(problems, 'limited'), allowedWays(['public']));
    assert.deepEqual(reached(problems, 'sudo'), allowedWays(['public', 'private']));
  });

  await t.test('never a name that resolves to loopback at the second lookup', async () => {
    assert.match(problems.get(rebinding) ?? '', /leads to a loopback or link-local address/u);
    const looks = (await servers.asked()).filter((one) => one.endsWith('rebound'));
    assert.deepEqual(looks, [`${publicAddress} ${new URL(rebinding).pathname}`]);
  });

  await t.test('with lists.allowLocal and sudo also loopback, link-local and own addresses', async () => {
    const setting = { config: { lists: { allowLocal: true } } };
    await service.call('PATCH', '/api/config', { via: 'control', body: setting });
    const then = await updateAll(service);
    assert.deepEqual(reached(then, 'limited'), allowedWays(['public']));
    assert.deepEqual(reached(then, 'sudo'), allowedWays(places));
  });

  await t.test('servers that a list may not reach have received no request', async () => {
    const asked = await servers.asked();
    const wrong = asked.filter((one) =>
      /(?:limited.*-(?:private|link-local|loopback|own)|rebound)$/u.test(one),
    );
    assert.deepEqual(
      wrong.filter((one) => !one.startsWith(publicAddress)),
      [],
    );
  });
});

const allowedWays = (allowed: readonly Place[]): string[] =>
  Object.keys(listsOf('')).filter((way) => allowed.some((place) => way.endsWith(` ${place}`)));

const reached = (problems: ReadonlyMap<string, string>, who: string): string[] =>
  Object.entries(listsOf(who)).flatMap(([way, address]) => (problems.get(address) === '' ? [way] : []));

/** Far above the usual duration, so that a busy machine does not fail the test. */
const maxUpdateMs = 300_000;

/** The problem of each list, by its address; '' when it was downloaded. */
async function updateAll(service: Service): Promise<ReadonlyMap<string, string>> {
  const { body } = await service.call('POST', '/api/action/gravity', { via: 'control', maxMs: maxUpdateMs });
  const lists = await service.call('GET', '/api/lists', { via: 'control' });
  const problems = new Map(
    listAt(body, 'result', 'lists').map((list) => [at(list, 'id'), String(at(list, 'problem') ?? '')]),
  );
  return new Map(
    listAt(lists.body, 'lists').map((list) => [
      String(at(list, 'address')),
      problems.get(at(list, 'id')) ?? 'it was not updated',
    ]),
  );
}

async function removeAll(service: Service): Promise<void> {
  const { body } = await service.call('GET', '/api/lists', { via: 'control' });
  const items = listAt(body, 'lists').map((list) => ({ item: at(list, 'address'), type: 'block' }));
  await service.call('POST', '/api/lists:batchDelete', { via: 'control', body: items });
}

/** Runs inside the namespace, because the control socket always has administrator rights. */
async function addAs(
  wrap: readonly string[],
  service: Service,
  password: string,
  address: readonly string[],
): Promise<void> {
  const script = `
    const [url, password, address] = JSON.parse(process.argv[1]);
    const post = async (path, body, sid = '') => {
      const headers = { 'X-SVC-SID': sid };
      const reply = await fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers });
      return reply.json();
    };
    const { session } = await post('/api/auth', { password });
    console.log(JSON.stringify(await post('/api/lists?type=block', { address }, session.sid)));`;
  const input = JSON.stringify([service.http, password, address]);
  const output = await runTool(wrap, process.execPath, ['--input-type=module', '-e', script, input]);
  assert.equal(listAt(JSON.parse(output), 'processed', 'success').length, address.length, output);
}
