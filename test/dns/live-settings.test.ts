// Settings that are changed while the service runs are in force in every worker when the reply arrives.
// live-settings.faults.test.ts changes them under load.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Service } from '../running/boot.ts';
import { assertError, describe } from '../running/reply.ts';
import { runQuery, runQueries, type Server } from './support/clients.ts';
import { assertNoThreadDied, bootDns, listeningOf, mustSetDns, portOf, setDns } from './support/service.ts';
import { startNamedUpstream } from './support/upstream.ts';

const rounds = 5;
const workers = 2;

/** dig uses a new port for each question, so that the questions reach both workers. */
const answerOf = async (server: Server, question: string): Promise<string> => {
  const { status, answer } = await runQuery('dig', server, question);
  return [status, ...answer].join(' ');
};

const flush = async (service: Service, body?: unknown): Promise<void> => {
  const options = { via: 'control', ...(body === undefined ? {} : { body }) } as const;
  const reply = await service.call('POST', '/api/action/flush/cache', options);
  assert.equal(reply.status, 200, describe(reply));
};

const wrongValues: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['an upstream without an address', { upstreams: ['not an address'] }],
  ['an upstream of an unknown scheme', { upstreams: ['ftp://192.0.2.1'] }],
  ['an upstream with an invalid port', { upstreams: ['192.0.2.1#70000'] }],
  ['a host without a name', { hosts: ['192.0.2.1'] }],
  ['a host without an address', { hosts: ['nas nas.lan'] }],
  ['a name that is too long', { hosts: [`192.0.2.1 ${'a'.repeat(64)}.lan`] }],
  ['an alias without a target', { cnameRecords: ['only.lan'] }],
  ['an unknown mode', { upstreamMode: 'quickest' }],
  ['an unknown listening mode', { listeningMode: 'NONE' }],
  ['a number that is out of range', { localTTL: -1 }],
  ['an invalid network', { revServers: ['true,192.168.0.0/40,192.168.1.1'] }],
  ['a domain upstream without an upstream', { domainUpstreams: ['corp.example'] }],
  ['an invalid exempt client', { rateLimit: { exempt: ['10.0.0.0/33'] } }],
  ['an invalid port', { listen: '127.0.0.1:70000' }],
  ['a bootstrap resolver given by name', { bootstrap: ['dns.example'] }],
];

test('a change of DNS settings', async (t) => {
  const [one, two] = [await startNamedUpstream(t, 0), await startNamedUpstream(t, 0)];
  const service = await bootDns(t, {
    env: { SLUICE_DNS_WORKERS: String(workers), SLUICE_DNS_LISTEN: undefined },
  });
  await mustSetDns(service, {
    listen: '127.0.0.1:0',
    hosts: ['192.0.2.7 nas.lan'],
    upstreams: [`127.0.0.1#${one.port}`],
  });
  const server: Server = { address: '127.0.0.1', port: await portOf(service) };

  await t.test('puts local records in force before the reply arrives', async () => {
    for (let round = 1; round <= rounds; round++) {
      await mustSetDns(service, { hosts: ['192.0.2.7 nas.lan', `10.0.0.${round} turn.lan`] });
      const wanted = `NOERROR turn.lan. 60 IN A 10.0.0.${round}`;
      for (const seen of await runQueries('dig', server, ['turn.lan A', 'turn.lan A', 'turn.lan A']))
        assert.equal([seen.status, ...seen.answer].join(' '), wanted, `round ${round}`);
    }
  });

  await t.test(
    'puts upstreams, aliases, TTLs and special domains in force before the reply arrives',
    async () => {
      for (const [turn, upstream] of [two, one, two].entries()) {
        await mustSetDns(service, { upstreams: [`127.0.0.1#${upstream.port}`] });
        const questions = Array.from({ length: 20 }, (_, index) => `u${turn}-${index}.example A`);
        await runQueries('dig', server, questions);
        const other = upstream === two ? one : two;
        const asked = [upstream, other].map(({ namesQueried }) => namesQueried(`u${turn}-*`));
        assert.deepEqual(asked, [questions.length, 0], 'Queries to the new and to the old upstream.');
      }
      for (const ttl of [5, 500]) {
        await mustSetDns(service, { localTTL: ttl, cnameRecords: [`to${ttl}.lan,nas.lan`] });
        const wanted = `NOERROR to${ttl}.lan. ${ttl} IN CNAME nas.lan. nas.lan. ${ttl} IN A 192.0.2.7`;
        assert.equal(await answerOf(server, `to${ttl}.lan A`), wanted);
      }
      await mustSetDns(service, { specialDomains: { mozillaCanary: false } });
      assert.match(await answerOf(server, 'use-application-dns.net A'), /^NOERROR/u);
      await mustSetDns(service, { specialDomains: { mozillaCanary: true }, blocking: { mode: 'NX' } });
      assert.match(await answerOf(server, 'use-application-dns.net A'), /^NXDOMAIN/u);
    },
  );

  await t.test('is not needed to flush one name or all names from the cache of every worker', async () => {
    await mustSetDns(service, { upstreams: [`127.0.0.1#${two.port}`] });
    const names = ['kept.example', 'other.example'];
    /** Several queries, because each worker has its own cache. */
    const questions = Array.from({ length: 24 }, () => names.map((name) => `${name} A`)).flat();
    /** A late upstream is queried again, so there may be more than one query for each worker. */
    const isAskedByAll = async (): Promise<readonly boolean[]> => {
      await two.settled();
      const before = names.map(two.queriesFor);
      await runQueries('dig', server, questions);
      await two.settled();
      const counts = names.map((name, index) => two.queriesFor(name) - (before[index] ?? 0));
      return counts.map((count) => {
        assert.ok(count === 0 || count >= workers, counts.join());
        return count > 0;
      });
    };
    await flush(service);
    assert.deepEqual(await isAskedByAll(), [true, true]);
    assert.deepEqual(await isAskedByAll(), [false, false]);
    await flush(service, { name: 'KEPT.example' });
    assert.deepEqual(await isAskedByAll(), [true, false]);
    await flush(service);
    assert.deepEqual(await isAskedByAll(), [true, true]);
  });

  for (const [what, dns] of wrongValues)
    await t.test(`with ${what} is refused with 400 and changes nothing`, async () => {
      const reply = await setDns(service, dns);
      assertError(reply, { status: 400 });
      assert.equal(await answerOf(server, 'nas.lan A'), 'NOERROR nas.lan. 500 IN A 192.0.2.7');
    });

  await t.test('of dns.listen that cannot be opened is refused with 402 and keeps the port', async () => {
    const { port } = server;
    for (const inForce of ['127.0.0.1:0', `127.0.0.1:${port}`]) {
      await mustSetDns(service, { listen: inForce });
      for (const listen of ['203.0.113.99:5353', `127.0.0.1:${port},203.0.113.99:5353`]) {
        assertError(await setDns(service, { listen }), { status: 402 });
        assert.deepEqual(await listeningOf(service), [{ address: '127.0.0.1', port }]);
        assert.match(await answerOf(server, 'nas.lan A'), /^NOERROR/u);
      }
    }
    await assertNoThreadDied(service);
  });

  await t.test('of dns.listen opens a new address, and closes one that was removed', async () => {
    await mustSetDns(service, { listen: `127.0.0.1:${server.port},127.0.0.2:${server.port}` });
    const added = { ...server, address: '127.0.0.2' };
    for (const place of [server, added]) assert.match(await answerOf(place, 'nas.lan A'), /^NOERROR/u);
    await mustSetDns(service, { listen: `127.0.0.2:${server.port}` });
    assert.deepEqual(await listeningOf(service), [{ address: '127.0.0.2', port: server.port }]);
    assert.match(await answerOf(added, 'nas.lan A +tcp'), /^NOERROR/u);
    await assert.rejects(runQuery('dig', server, 'nas.lan A'), /0 replies|refused/u);
  });
});
