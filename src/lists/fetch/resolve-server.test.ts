import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { decode, encode, RECURSION_AVAILABLE } from 'dns-packet';
import type { Machine } from '#platform/neighbours';
import { fetchList, nothingKnown } from './fetch-list.ts';
import { createListLookup, type ListLookupParts, type LookupWays } from './resolve-server.ts';
import { lookupWays } from './resolver-order.ts';
import { listServer, temporaryFolder, testLimits, textPage } from '#testing/lists/list-scene';

/** Long enough for those who answer, on a busy machine too; who is silent costs as much. */
const wayMs = 1_500;

type Known = Readonly<Record<string, { readonly A?: string; readonly AAAA?: string }>>;

function replyTo(bytes: Buffer, known: Known): Buffer {
  const { id, questions = [] } = decode(bytes);
  const [{ name, type: asked } = { name: '', type: 'A' }] = questions;
  const type = asked === 'AAAA' ? 'AAAA' : 'A';
  const entry = known[name.toLowerCase()];
  const data = entry?.[type];
  const answers = data === undefined ? [] : [{ type, name, ttl: 60, data } as const];
  const flags = RECURSION_AVAILABLE | (entry === undefined ? 3 : 0);
  return encode({ type: 'response', id, flags, questions, answers });
}

/** A resolver on loopback that knows these names and no others; without any it never answers. */
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

const deafSystem: ListLookupParts['system'] = (_name, _options, callback) =>
  callback(Object.assign(new Error('down'), { code: 'EAI_AGAIN' }), []);

const find = (
  name: string,
  ways: LookupWays,
  system = deafSystem,
): Promise<LookupAddress[] | string | undefined> =>
  new Promise((resolve) => {
    const lookup = createListLookup({ ways: () => ways, system, wayMs });
    lookup(name, { all: true }, (error, found) => resolve(error === null ? found : error.code));
  });

const direct = (...servers: readonly string[][]): LookupWays => ({ isSystemOurs: true, servers });

describe('the lookup of a server of lists', () => {
  it('asks the configured servers for all addresses when the system resolver is Sluice', async (t) => {
    const stub = await stubServer(t, { 'lists.test': { A: '192.0.2.7', AAAA: '2001:db8::7' } });
    const never: ListLookupParts['system'] = () => assert.fail('the system was asked');
    assert.deepEqual(await find('lists.test', direct([stub]), never), [
      { address: '192.0.2.7', family: 4 },
      { address: '2001:db8::7', family: 6 },
    ]);
  });

  it('tries the next server when one is silent, has no answer, or blocks the name', async (t) => {
    const silent = await stubServer(t, undefined);
    const ignorant = await stubServer(t, {});
    const blocking = await stubServer(t, { 'lists.test': { A: '0.0.0.0', AAAA: '::' } });
    const good = await stubServer(t, { 'lists.test': { AAAA: '2001:db8::7' } });
    const ways = direct([silent], [ignorant], [blocking], [good]);
    assert.deepEqual(await find('lists.test', ways), [{ address: '2001:db8::7', family: 6 }]);
  });

  it('fails with ENOTFOUND when no server knows the name', async (t) => {
    const ignorant = await stubServer(t, {});
    assert.equal(await find('lists.test', direct([ignorant])), 'ENOTFOUND');
    assert.equal(await find('lists.test', direct()), 'ENOTFOUND');
  });

  it('asks the system resolver first, with a timeout, when that is not Sluice', async (t) => {
    const stub = await stubServer(t, { 'lists.test': { A: '192.0.2.7' } });
    const ways = { isSystemOurs: false, servers: [[stub]] };
    const bySystem = [{ address: '192.0.2.1', family: 4 }];
    const good: ListLookupParts['system'] = (_name, _options, callback) => callback(null, bySystem);
    assert.deepEqual(await find('lists.test', ways, good), bySystem);
    const byStub = [{ address: '192.0.2.7', family: 4 }];
    assert.deepEqual(await find('lists.test', ways), byStub);
    assert.deepEqual(await find('lists.test', ways, () => undefined), byStub);
    assert.deepEqual(await find('nas', direct([stub]), good), bySystem, 'a name of the machine');
  });

  it('fetches a list from a host that only the stub knows', async (t) => {
    const stub = await stubServer(t, { 'lists.test': { A: '127.0.0.1', AAAA: '100::1' } });
    const { port } = new URL(await listServer(t, { '/list': textPage('ads.example\n') }));
    const lookup = createListLookup({ ways: () => direct([stub]), system: deafSystem });
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

describe('the servers for a lookup', () => {
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

  const rows: readonly (readonly [string, Partial<typeof empty> | object, readonly string[], LookupWays])[] =
    [
      ['nothing is set, and the machine asks us', {}, ['127.0.0.1'], { isSystemOurs: true, servers: [own] }],
      ['no resolver is named at all', {}, [], { isSystemOurs: true, servers: [own] }],
      [
        'the machine asks somebody else',
        {},
        ['192.0.2.53'],
        { isSystemOurs: false, servers: [own, ['192.0.2.53:53']] },
      ],
      [
        'the machine asks us by an address of its own, and somebody else',
        {},
        ['192.0.2.5', '2001:db8::53'],
        { isSystemOurs: true, servers: [own, ['[2001:db8::53]:53']] },
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
          isSystemOurs: true,
          servers: [
            ['9.9.9.9:53', '9.9.9.9:54', '[2620:fe::9]:55', '[2620:fe::9]:53', '9.9.9.9:53', '9.9.9.9:56'],
            own,
          ],
        },
      ],
      [
        'upstreams that are encrypted alone: through ourselves, then the bootstrap',
        {
          upstreams: ['tls://9.9.9.9', 'https://dns.example/dns-query', 'udp://dns.example'],
          bootstrap: ['192.0.2.9'],
          fallbackUpstreams: ['tls://9.9.9.9', '192.0.2.10#54'],
        },
        ['127.0.0.1'],
        { isSystemOurs: true, servers: [own, ['192.0.2.9:53', '192.0.2.10:54']] },
      ],
      [
        'we listen elsewhere',
        { listen: '192.0.2.5:54, [::]:55' },
        ['127.0.0.1'],
        { isSystemOurs: false, servers: [['192.0.2.5:54', '[::1]:55'], ['127.0.0.1:53']] },
      ],
      [
        'we listen nowhere',
        { listen: '' },
        ['127.0.0.1'],
        { isSystemOurs: false, servers: [['127.0.0.1:53']] },
      ],
    ];
  for (const [title, settings, resolvers, ways] of rows) {
    it(title, () => {
      assert.deepEqual(lookupWays({ ...empty, ...settings }, { ...machine, resolvers }), ways);
    });
  }
});
