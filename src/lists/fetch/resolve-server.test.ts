import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { decode, encode, RECURSION_AVAILABLE } from 'dns-packet';
import type { Machine } from '#platform/neighbours';
import { fetchList, nothingKnown } from './fetch-list.ts';
import { createListLookup, type ListLookupParts, type ResolverOrder } from './resolve-server.ts';
import { resolverOrder } from './resolver-order.ts';
import { listServer, temporaryFolder, testLimits, textPage } from '#testing/lists/list-scene';

/** Long enough for an answer on a busy machine; a silent server costs the whole time. */
const stageMs = 1_500;

type Known = Readonly<Record<string, { readonly A?: string; readonly AAAA?: string }>>;

function replyTo(bytes: Buffer, known: Known): Buffer {
  const { id, questions = [] } = decode(bytes);
  const [{ name, type: queried } = { name: '', type: 'A' }] = questions;
  const type = queried === 'AAAA' ? 'AAAA' : 'A';
  const entry = known[name.toLowerCase()];
  const data = entry?.[type];
  const answers = data === undefined ? [] : [{ type, name, ttl: 60, data } as const];
  const flags = RECURSION_AVAILABLE | (entry === undefined ? 3 : 0);
  return encode({ type: 'response', id, flags, questions, answers });
}

/** A resolver on loopback that knows only these names; with `undefined` it never answers. */
async function stubServer(t: TestContext, known: Known | undefined): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, { port, address }) => {
    if (known !== undefined) socket.send(replyTo(bytes, known), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

const failingSystem: NonNullable<ListLookupParts['system']> = (_name, _options, callback) =>
  callback(Object.assign(new Error('down'), { code: 'EAI_AGAIN' }), []);

function resolveName(
  name: string,
  order: ResolverOrder,
  system: NonNullable<ListLookupParts['system']> = failingSystem,
): Promise<LookupAddress[] | string | undefined> {
  return new Promise((resolve) => {
    const lookup = createListLookup({ order: () => order, system, stageMs });
    lookup(name, { all: true }, (error, found) => resolve(error === null ? found : error.code));
  });
}

function direct(...servers: readonly string[][]): ResolverOrder {
  return { isSystemSluice: true, servers };
}

describe('the lookup of a list server', () => {
  it('queries the configured servers for A and AAAA when the system resolver is Sluice', async (t) => {
    const stub = await stubServer(t, { 'lists.test': { A: '192.0.2.7', AAAA: '2001:db8::7' } });
    const never: ListLookupParts['system'] = () => assert.fail('the system resolver was queried');
    assert.deepEqual(await resolveName('lists.test', direct([stub]), never), [
      { address: '192.0.2.7', family: 4 },
      { address: '2001:db8::7', family: 6 },
    ]);
  });

  it('tries the next server when one is silent, has no answer, or blocks the name', async (t) => {
    const silent = await stubServer(t, undefined);
    const empty = await stubServer(t, {});
    const blocking = await stubServer(t, { 'lists.test': { A: '0.0.0.0', AAAA: '::' } });
    const good = await stubServer(t, { 'lists.test': { AAAA: '2001:db8::7' } });
    const order = direct([silent], [empty], [blocking], [good]);
    assert.deepEqual(await resolveName('lists.test', order), [{ address: '2001:db8::7', family: 6 }]);
  });

  it('fails with ENOTFOUND when no server knows the name', async (t) => {
    const empty = await stubServer(t, {});
    assert.equal(await resolveName('lists.test', direct([empty])), 'ENOTFOUND');
    assert.equal(await resolveName('lists.test', direct()), 'ENOTFOUND');
  });

  it('queries the system resolver first, with a timeout, when that is not Sluice', async (t) => {
    const stub = await stubServer(t, { 'lists.test': { A: '192.0.2.7' } });
    const order = { isSystemSluice: false, servers: [[stub]] };
    const bySystem = [{ address: '192.0.2.1', family: 4 }];
    const good: ListLookupParts['system'] = (_name, _options, callback) => callback(null, bySystem);
    assert.deepEqual(await resolveName('lists.test', order, good), bySystem);
    const byStub = [{ address: '192.0.2.7', family: 4 }];
    assert.deepEqual(await resolveName('lists.test', order), byStub);
    assert.deepEqual(await resolveName('lists.test', order, () => undefined), byStub);
    assert.deepEqual(await resolveName('nas', direct([stub]), good), bySystem, 'a name without a dot');
  });

  it('lets fetchList reach a host that only the configured server knows', async (t) => {
    const stub = await stubServer(t, { 'lists.test': { A: '127.0.0.1', AAAA: '100::1' } });
    const { port } = new URL(await listServer(t, { '/list': textPage('ads.example\n') }));
    const lookup = createListLookup({ order: () => direct([stub]), system: failingSystem });
    const outcome = await fetchList(
      {
        address: `http://lists.test:${port}/list`,
        rights: 'sudo',
        known: nothingKnown,
        draftPath: `${temporaryFolder(t)}/draft`,
      },
      {
        userAgent: 'sluice/test',
        signal: new AbortController().signal,
        limits: testLimits,
        lookup,
        allowLocal: () => true,
      },
    );
    assert.equal(outcome.kind, 'changed', JSON.stringify(outcome));
  });
});

describe('the resolver order', () => {
  const machine: Machine = {
    hostname: 'box',
    addresses: ['192.0.2.5'],
    allAddresses: ['127.0.0.1', '192.0.2.5'],
    subnets: [],
    routers: [],
    resolvers: ['127.0.0.1'],
  };
  const empty = { upstreams: [], bootstrap: [], fallbackUpstreams: [], listen: '*:53' };
  const own = ['127.0.0.1:53'];

  const rows: readonly (readonly [
    string,
    Partial<typeof empty> | object,
    readonly string[],
    ResolverOrder,
  ])[] = [
    [
      'nothing is set, and the machine uses Sluice',
      {},
      ['127.0.0.1'],
      { isSystemSluice: true, servers: [own] },
    ],
    ['the machine has no resolver', {}, [], { isSystemSluice: true, servers: [own] }],
    [
      'the machine uses another resolver',
      {},
      ['192.0.2.53'],
      { isSystemSluice: false, servers: [own, ['192.0.2.53:53']] },
    ],
    [
      'the machine uses Sluice by an interface address, and another resolver',
      {},
      ['192.0.2.5', '2001:db8::53'],
      { isSystemSluice: true, servers: [own, ['[2001:db8::53]:53']] },
    ],
    [
      'upstreams in every form',
      {
        upstreams: [
          '9.9.9.9',
          '9.9.9.9#54',
          '[2620:fe::9]:55',
          '2620:fe::9',
          'udp://9.9.9.9',
          'tcp://9.9.9.9:56',
        ],
      },
      ['127.0.0.1'],
      {
        isSystemSluice: true,
        servers: [
          ['9.9.9.9:53', '9.9.9.9:54', '[2620:fe::9]:55', '[2620:fe::9]:53', '9.9.9.9:53', '9.9.9.9:56'],
          own,
        ],
      },
    ],
    [
      'only encrypted upstreams: Sluice itself first, then bootstrap and fallback',
      {
        upstreams: ['tls://9.9.9.9', 'https://dns.example/dns-query', 'udp://dns.example'],
        bootstrap: ['192.0.2.9'],
        fallbackUpstreams: ['tls://9.9.9.9', '192.0.2.10#54'],
      },
      ['127.0.0.1'],
      { isSystemSluice: true, servers: [own, ['192.0.2.9:53', '192.0.2.10:54']] },
    ],
    [
      'Sluice listens on other addresses and ports',
      { listen: '192.0.2.5:54, [::]:55' },
      ['127.0.0.1'],
      { isSystemSluice: false, servers: [['192.0.2.5:54', '[::1]:55'], ['127.0.0.1:53']] },
    ],
    [
      'Sluice does not listen',
      { listen: '' },
      ['127.0.0.1'],
      { isSystemSluice: false, servers: [['127.0.0.1:53']] },
    ],
  ];
  for (const [title, settings, resolvers, order] of rows) {
    it(title, () => {
      assert.deepEqual(resolverOrder({ ...empty, ...settings }, { ...machine, resolvers }), order);
    });
  }
});
