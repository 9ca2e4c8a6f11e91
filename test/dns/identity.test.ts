// Clients that are identified by more than an address: devices with MAC addresses at the ends of veth pairs,
// names that another resolver knows, and an address that another device takes over.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import type { Service } from '../running/boot.ts';
import { noNamespace } from '../running/namespace.ts';
import { runCommand } from '../running/program.ts';
import { at, describe, listAt } from '../running/reply.ts';
import { until } from '../running/waiting.ts';
import { runTool } from './support/clients.ts';
import { openNeighbour, openNetwork } from './support/network.ts';
import { codeOf, startProbe, type Probe } from './support/probe.ts';
import { startDnsmasq } from './support/resolvers.ts';
import { assertNoThreadDied, bootDns, mustSetDns } from './support/service.ts';

const port = 53;
const noError = 0;
const serverFailure = 2;
const home = { ipv4: '192.168.77.1', ipv6: 'fd77::1' };
const guests = { ipv4: '192.168.78.1', ipv6: 'fd78::1' };
const oldMac = '02:00:00:00:00:0a';
const newMac = '02:00:00:00:00:0b';
const cameraMac = '02:00:00:00:00:0d';
const startedSeconds = Math.floor(Date.now() / 1000);

/** Each client is in its own group, which blocks one name. */
const configured = {
  mac: oldMac.toUpperCase(),
  moved: newMac,
  interface: ':guest',
  host: 'Tablet.lan',
  label: 'tv',
  address: '192.168.77.52',
  range: '192.168.78.64/28',
} as const;

type Kind = keyof typeof configured;

const must = async (service: Service, method: string, path: string, body: object): Promise<unknown> => {
  const reply = await service.call(method, path, { body, via: 'control' });
  assert.ok(reply.status < 300, describe(reply));
  return reply.body;
};

const configure = async (service: Service): Promise<void> => {
  for (const [kind, client] of Object.entries(configured)) {
    const body = await must(service, 'POST', '/api/groups', { name: kind });
    const groups = [Number(at(body, 'groups', 0, 'id'))];
    await must(service, 'POST', '/api/domains/deny/exact', { domain: `${kind}.example`, groups });
    await must(service, 'POST', '/api/clients', { client, groups });
  }
};

const scene = async (t: TestContext) => {
  const network = await openNetwork(t, []);
  const device = await openNeighbour(t, network, {
    near: Object.values(home),
    far: ['192.168.77.50', '192.168.77.52', 'fd77::50', 'fd77::53'],
    mac: oldMac,
  });
  const guest = await openNeighbour(t, network, {
    interface: 'guest',
    near: Object.values(guests),
    far: ['192.168.78.50', '192.168.78.60', '192.168.78.61', '192.168.78.66', 'fd78::50'],
    mac: '02:00:00:00:00:0c',
  });
  const stranger = await openNeighbour(t, network, {
    interface: 'other',
    near: ['192.168.79.1', 'fd79::1'],
    far: ['192.168.79.50', 'fd79::50'],
    mac: cameraMac,
  });
  const names = { address: '127.0.0.9', port: 5300, hosts: ['tablet.lan,192.168.78.60'] };
  await startDnsmasq(t, { wrap: network.wrap, ...names });
  const service = await bootDns(t, {
    wrap: network.wrap,
    env: { SLUICE_DNS_LISTEN: `*:${port}`, SLUICE_DNS_WORKERS: '1' },
  });
  await mustSetDns(service, {
    upstreams: ['127.0.0.1#9'],
    hosts: ['192.168.78.61 tv.home.arpa', '192.168.79.50 camera.home.arpa'],
    revServers: ['true,192.168.78.0/24,127.0.0.9#5300'],
  });
  await configure(service);
  const probes = {
    device: startProbe(t, device.wrap),
    guest: startProbe(t, guest.wrap),
    stranger: startProbe(t, stranger.wrap),
  };
  return { network, device, service, probes };
};

/** A blocked name gets the null address; any other name fails, because there is no upstream. */
const isBlocked = async (probe: Probe, from: string, to: string, kind: Kind | 'ruled'): Promise<boolean> => {
  const [got = {}] = await probe.send({ from, to, port, name: `${kind}.example` });
  const isBlockedBy = new Map([
    [noError, true],
    [serverFailure, false],
  ]).get(codeOf(got) ?? -1);
  assert.ok(isBlockedBy !== undefined, `${from} asked for ${kind}.example: ${codeOf(got)}`);
  return isBlockedBy;
};

/** Which of the names are blocked for this client. */
const blockedFor = async (probe: Probe, from: string, to: string): Promise<readonly Kind[]> => {
  const blocked: Kind[] = [];
  for (const kind of ['mac', 'moved', 'interface', 'host', 'label', 'address', 'range'] as const)
    if (await isBlocked(probe, from, to, kind)) blocked.push(kind);
  return blocked;
};

test('clients by MAC address, host name and interface', { skip: noNamespace }, async (t) => {
  const { network, device, service, probes } = await scene(t);

  const first: readonly (readonly [Kind, keyof typeof probes, string, string])[] = [
    ['mac', 'device', '192.168.77.50', home.ipv4],
    ['mac', 'device', 'fd77::50', home.ipv6],
    ['interface', 'guest', '192.168.78.50', guests.ipv4],
    ['interface', 'guest', 'fd78::50', guests.ipv6],
    ['label', 'guest', '192.168.78.61', guests.ipv4],
  ];
  for (const [kind, who, from, to] of first)
    await t.test(`the very first query of ${from} gets the rules for ${configured[kind]}`, async () => {
      assert.equal(await isBlocked(probes[who], from, to, kind), true, service.log());
      assert.deepEqual(await blockedFor(probes[who], from, to), [kind]);
    });

  await t.test('the first query of a link-local address gets the rules for its MAC address', async () => {
    const shown = await runTool(network.wrap, 'ip', ['-6', '-o', 'address', 'show', 'dev', 'near']);
    const to = `${/fe80::[0-9a-f:]+/u.exec(shown)?.[0] ?? shown}%far`;
    const order = { from: '::', to, port, name: 'mac.example', maxMs: 200 };
    // The service finds an address that was added after its start within a few seconds.
    const code = await until('the service answers on its link-local address', async () =>
      codeOf((await probes.device.send(order))[0] ?? {}),
    );
    assert.equal(code, 0);
  });

  await t.test(
    'another address of a known device gets the rules for its MAC address after one answer',
    async () => {
      const known = await runTool(network.wrap, 'ip', ['neigh', 'show', 'fd77::53']);
      assert.equal(known, '', 'the device already has the address in its neighbour table');
      await isBlocked(probes.device, 'fd77::53', home.ipv6, 'mac');
      const ask = async () => (await isBlocked(probes.device, 'fd77::53', home.ipv6, 'mac')) || undefined;
      await until('the MAC address of the new address is known', ask);
    },
  );

  await t.test(
    'rules for an address rank above a MAC address, and those for a range above an interface',
    async () => {
      assert.deepEqual(await blockedFor(probes.device, '192.168.77.52', home.ipv4), ['address']);
      assert.deepEqual(await blockedFor(probes.guest, '192.168.78.66', guests.ipv4), ['range']);
    },
  );

  await t.test('a pause for a MAC address or an interface applies to all its addresses', async () => {
    const seen = async () => [
      await blockedFor(probes.device, '192.168.77.50', home.ipv4),
      await blockedFor(probes.device, 'fd77::50', home.ipv6),
      await blockedFor(probes.guest, '192.168.78.66', guests.ipv4),
    ];
    const rows = [
      [oldMac.toUpperCase(), [[], [], ['range']]],
      [':guest', [['mac'], ['mac'], []]],
    ] as const;
    for (const [client, blocked] of rows) {
      await must(service, 'POST', '/api/dns/blocking', { blocking: false, client });
      assert.deepEqual(await seen(), blocked, client);
      await must(service, 'POST', '/api/dns/blocking', { blocking: true, client });
    }
    assert.deepEqual(await seen(), [['mac'], ['mac'], ['range']]);
  });

  await t.test(
    'rules for a host name apply once it is resolved; until then those for the interface do',
    async () => {
      const ask = (kind: Kind) => isBlocked(probes.guest, '192.168.78.60', guests.ipv4, kind);
      assert.deepEqual([await ask('interface')], [true]);
      await until('the host name is resolved', async () => (await ask('host')) || undefined);
      assert.deepEqual(await blockedFor(probes.guest, '192.168.78.60', guests.ipv4), ['host']);
    },
  );

  await t.test(
    'the history names clients, and has none of the PTR queries that the service itself sends',
    async () => {
      const get = async (path: string) => (await service.call('GET', path, { via: 'control' })).body;
      await until('the tablet has its name in the log', async () => {
        const [query] = listAt(await get('/api/queries?client_name=tablet*&length=1'), 'queries');
        return at(query, 'client', 'ip') === '192.168.78.60' ? true : undefined;
      });
      const clients = listAt(await get('/api/stats/top_clients?count=100'), 'clients');
      const tablet = clients.find((client) => at(client, 'ip') === '192.168.78.60');
      assert.equal(at(tablet, 'name'), 'tablet.lan');
      const names = listAt(await get('/api/queries/suggestions'), 'suggestions', 'client_name');
      assert.ok(names.includes('tablet.lan'));
      const history = await get('/api/history/clients?N=0');
      assert.equal(at(history, 'clients', '192.168.78.60', 'name'), 'tablet.lan');
      assert.equal(at(await get('/api/queries?type=PTR'), 'recordsFiltered'), 0);
      const hosts = at(await get('/api/stats/summary?group=host'), 'queries', 'total');
      assert.equal(hosts, at(tablet, 'count'), 'the group of the client with this host name');
    },
  );

  await t.test(
    'GET /api/clients/_suggestions lists a device that is not configured with all its addresses',
    async () => {
      const suggestions = async () => {
        const path = '/api/clients/_suggestions';
        return listAt((await service.call('GET', path, { via: 'control' })).body, 'clients');
      };
      assert.deepEqual(await suggestions(), [], 'all clients so far are configured');
      assert.deepEqual(await blockedFor(probes.stranger, '192.168.79.50', '192.168.79.1'), []);
      assert.deepEqual(await blockedFor(probes.stranger, 'fd79::50', 'fd79::1'), []);
      const [camera, ...others] = await until('all its addresses are known', async () => {
        const found = await suggestions();
        return at(found[0], 'names') === null || found.length === 0 ? undefined : found;
      });
      const lastQuery = Number(at(camera, 'lastQuery'));
      assert.ok(lastQuery >= startedSeconds && lastQuery <= Date.now() / 1000, String(lastQuery));
      const addresses = 'fd79::50,192.168.79.50';
      const names = 'camera.home.arpa';
      assert.deepEqual(camera, { hwaddr: cameraMac, macVendor: null, lastQuery, addresses, names });
      assert.deepEqual(others, []);
      const { out } = await runCommand(['clients', 'suggestions'], { dir: service.dir });
      assert.match(out, /02:00:00:00:00:0d +fd79::50, 192\.168\.79\.50 +camera\.home\.arpa +\d{4}-/u);
      const added = await must(service, 'POST', '/api/clients', { client: cameraMac });
      assert.equal(at(added, 'clients', 0, 'name'), names);
      assert.deepEqual(await suggestions(), []);
    },
  );

  // This test comes last: the kernel forgets the other addresses of the device when they stop answering.
  await t.test('an address that another MAC address takes over gets the rules for the new one', async () => {
    const ask = () => blockedFor(probes.device, '192.168.77.50', home.ipv4);
    const isRuled = () => isBlocked(probes.device, '192.168.77.50', home.ipv4, 'ruled');
    const domain = `ruled.example;client=${newMac}`;
    await must(service, 'POST', '/api/domains/deny/exact', { domain });
    assert.equal(await isRuled(), false);
    await runTool(device.wrap, 'ip', ['link', 'set', 'far', 'address', newMac]);
    // The kernel notices the new MAC address at a query, after it has trusted the old neighbour for a second.
    // A change of rules makes the service read the kernel's table again; otherwise it would within a minute.
    let changes = 0;
    await until('the new MAC address is known', async () => {
      await ask();
      await must(service, 'POST', '/api/domains/deny/exact', { domain: `another-${++changes}.example` });
      return (await ask()).join() === 'moved' ? true : undefined;
    });
    assert.equal(await isRuled(), true, 'an own rule follows the MAC address, too');
  });

  await assertNoThreadDied(service);
});
