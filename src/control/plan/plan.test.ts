import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveSettings } from '#store/settings';
import type { Machine } from '#platform/neighbours';
import { buildPlan } from './plan.ts';
import { noPolicy } from './policy-plan.ts';

const machine: Machine = {
  hostname: 'Box',
  addresses: ['192.0.2.5'],
  allAddresses: ['127.0.0.1', '192.0.2.5', '::1'],
  subnets: ['192.0.2.5/24'],
  routers: ['192.0.2.1'],
  resolvers: ['127.0.0.53', '192.0.2.5', '192.0.2.1'],
};

function planWith(stored: Readonly<Record<string, unknown>>, foreignAddresses: readonly string[] = []) {
  return buildPlan(
    {
      settings: resolveSettings({
        pinned: new Map(),
        stored: new Map(Object.entries(stored)),
        defaults: new Map(),
      }).values,
      machine,
      listensByDefault: stored['dns.listen'] === undefined,
      foreignAddresses,
      productVersion: '1.2.3',
      apiUrls: { local: ['http://127.0.0.1:80/api/'], domain: ['http://box:80/api/'] },
      loopKey: 'key',
      policy: noPolicy,
    },
    7,
  );
}

describe('the plan of the dns workers', () => {
  it("removes Sluice itself from the system's resolvers", () => {
    const rows = [
      // The stub of systemd-resolved has no interface address, so a wildcard listener does not replace it.
      ['*:53', ['127.0.0.53', '192.0.2.1']],
      ['0.0.0.0:53', ['127.0.0.53', '192.0.2.1']],
      ['127.0.0.1:53,127.0.0.53:53', ['192.0.2.5', '192.0.2.1']],
      ['*:5300', machine.resolvers],
      ['', machine.resolvers],
    ] as const;
    for (const [listen, system] of rows)
      assert.deepEqual(planWith({ 'dns.listen': listen }).options.forwarding.system, system, listen);
  });

  it('uses the resolver of this machine that holds port 53 of an own address', () => {
    const { system } = planWith({}, ['192.0.2.5']).options.forwarding;
    assert.deepEqual(system, machine.resolvers);
  });

  it('falls back to another port only while dns.listen has its default', () => {
    assert.deepEqual([planWith({}).fallsBack, planWith({ 'dns.listen': '*:53' }).fallsBack], [true, false]);
  });

  it('parses upstreams of domains and networks, and lists their zones', () => {
    const { engine, forwarding } = planWith({
      'dns.domainUpstreams': ['corp.example,lab.example 10.0.0.1,tls://10.0.0.2'],
      'dns.revServers': ['true,192.168.0.0/16,192.168.0.1#5353,lan', 'false,10.0.0.0/8,10.0.0.1'],
    }).options;
    assert.deepEqual(forwarding.domains, [
      { domains: ['corp.example', 'lab.example'], upstreams: ['10.0.0.1', 'tls://10.0.0.2'] },
    ]);
    assert.deepEqual(forwarding.reverse, [
      { network: '192.168.0.0/16', upstream: '192.168.0.1#5353', domain: 'lan' },
    ]);
    assert.deepEqual(engine.local.routedZones, ['corp.example', 'lab.example', 'lan']);
    assert.deepEqual(engine.local.routedNetworks, ['192.168.0.0/16']);
  });

  it('contains the own names, the version and the URLs of the API', () => {
    const { local, chaos } = planWith({}).options.engine;
    assert.deepEqual(local.own, { names: ['sluice.internal', 'box'], addresses: ['192.0.2.5'] });
    assert.equal(chaos.version, 'sluice 1.2.3');
    assert.deepEqual(chaos.texts['local.api.ftl'], ['http://127.0.0.1:80/api/']);
  });

  it('never has a minimum TTL above the maximum', () => {
    const { cache } = planWith({ 'dns.cache.minTTL': 600, 'dns.cache.maxTTL': 60 }).options.engine;
    assert.deepEqual([cache.minTtlSeconds, cache.maxTtlSeconds], [600, 600]);
  });
});
