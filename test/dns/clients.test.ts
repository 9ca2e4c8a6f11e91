// Which clients are answered, and how often: clients of the local network and strangers send queries from
// another machine, which is a network namespace at the other end of a veth pair.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { noNamespace } from '../running/namespace.ts';
import { runQuery } from './support/clients.ts';
import { openNeighbour, openNetwork } from './support/network.ts';
import { codeOf, startProbe, type Order } from './support/probe.ts';
import { bootDns, mustSetDns } from './support/service.ts';

const port = 53;
const here = { ipv4: '192.168.77.1', ipv6: 'fd77::1' };
const strangers = { ipv4: '198.51.100.5', ipv6: '2001:db8:5::5' };
const friends = { ipv4: '192.168.77.50', ipv6: 'fd77::50' };
const families = ['ipv4', 'ipv6'] as const;
const refused = 5;

const scene = async (t: Parameters<typeof openNetwork>[0]) => {
  const network = await openNetwork(t, []);
  const neighbour = await openNeighbour(t, network, {
    near: [here.ipv4, here.ipv6],
    far: [
      ...Object.values(strangers),
      ...Object.values(friends),
      '192.168.77.51',
      '192.168.77.52',
      'fd77::51',
      'fd78::50',
    ],
  });
  // Settings from the environment would be pinned, and the tests change these.
  const service = await bootDns(t, {
    wrap: network.wrap,
    env: { SLUICE_DNS_LISTEN: `*:${port}`, SLUICE_DNS_WORKERS: '1' },
  });
  await mustSetDns(service, { hosts: ['192.0.2.7 nas.lan'], upstreams: ['127.0.0.1#9'] });
  const probe = startProbe(t, neighbour.wrap);
  const codes = async (order: Omit<Order, 'port' | 'name'>) =>
    (await probe.send({ port, name: 'nas.lan', ...order })).map(codeOf);
  return { neighbour, service, codes };
};

test('clients on another machine', { skip: noNamespace }, async (t) => {
  const { neighbour, service, codes } = await scene(t);

  await t.test(
    'a client outside the local networks is refused with a reason, one inside is answered',
    async () => {
      for (const family of families)
        for (const transport of ['+notcp', '+tcp']) {
          const server = { address: here[family], port, wrap: neighbour.wrap, options: [transport] };
          const stranger = await runQuery('dig', server, `nas.lan A -b ${strangers[family]}`);
          assert.deepEqual([stranger.status, stranger.extendedErrors], ['REFUSED', [18]], stranger.text);
          const friend = await runQuery('dig', server, `nas.lan A -b ${friends[family]}`);
          assert.deepEqual([friend.status, friend.answer], ['NOERROR', ['nas.lan. 60 IN A 192.0.2.7']]);
        }
    },
  );

  await t.test(
    'are answered from any network with dns.listeningMode = ALL, and refused again with LOCAL',
    async () => {
      for (const [mode, code] of [
        ['ALL', 0],
        ['LOCAL', refused],
      ] as const) {
        await mustSetDns(service, { listeningMode: mode });
        for (const family of families)
          assert.deepEqual(await codes({ from: strangers[family], to: here[family] }), [code], mode);
      }
    },
  );

  await t.test('are refused above dns.rateLimit unless they are exempt', async () => {
    await mustSetDns(service, { rateLimit: { count: 50, interval: 3600, exempt: ['192.168.77.52'] } });
    const asked = 60;
    const limited = [...Array<number>(50).fill(0), ...Array<number>(10).fill(refused)];
    const free = Array<number>(asked).fill(0);
    const rows = [
      ['192.168.77.51', here.ipv4, limited],
      ['192.168.77.52', here.ipv4, free],
      ['fd78::50', here.ipv6, limited],
    ] as const;
    for (const [from, to, wanted] of rows)
      assert.deepEqual(await codes({ from, to, count: asked }), wanted, from);
    const server = { address: here.ipv4, port, wrap: neighbour.wrap };
    const over = await runQuery('dig', server, 'nas.lan A -b 192.168.77.51');
    assert.deepEqual([over.status, over.extendedErrors], ['REFUSED', [0]], over.text);
    assert.match(over.text, /too many queries, see dns\.rateLimit/u);
    await service.logged(/192\.168\.77\.51/u);
  });

  await t.test('share one dns.rateLimit when they are in one /64', async () => {
    assert.deepEqual(await codes({ from: 'fd77::51', to: here.ipv6, count: 1 }), [0]);
    await codes({ from: 'fd77::50', to: here.ipv6, count: 60 });
    assert.deepEqual(await codes({ from: 'fd77::51', to: here.ipv6, count: 1 }), [refused]);
    await mustSetDns(service, { rateLimit: { count: 0 } });
    assert.deepEqual(await codes({ from: 'fd77::51', to: here.ipv6, count: 1 }), [0]);
  });
});
