// Real third-party resolvers as upstreams, in every form of address that they support. The cache is flushed
// between the forms, so that each question is sent again.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import type { Service } from '../running/boot.ts';
import { until } from '../running/waiting.ts';
import { issueIdentity } from './support/certificate.ts';
import { runQuery, runQueries, runTool, type Server } from './support/clients.ts';
import { bigTextRecords, startDnsmasq, startUnbound } from './support/resolvers.ts';
import { bootDns, mustSetDns, portOf } from './support/service.ts';

type Row = {
  readonly ask: string;
  readonly status?: string;
  /** The expected records, in any order. */
  readonly answer: readonly string[];
  /** The SOA that limits how long a negative answer is cached (RFC 2308). */
  readonly soa?: RegExp;
};

const soa = /^zone\.example\. 77 IN SOA ns\.zone\.example\. /u;
const unboundRows: readonly Row[] = [
  { ask: 'a.zone.example A', answer: ['a.zone.example. 120 IN A 203.0.113.1'] },
  { ask: 'a.zone.example AAAA', answer: ['a.zone.example. 120 IN AAAA 2001:db8::1'] },
  {
    ask: 'c1.zone.example A',
    answer: [
      'c1.zone.example. 60 IN CNAME c2.zone.example.',
      'c2.zone.example. 30 IN CNAME a.zone.example.',
      'a.zone.example. 120 IN A 203.0.113.1',
    ],
  },
  { ask: 'c1.zone.example CNAME', answer: ['c1.zone.example. 60 IN CNAME c2.zone.example.'] },
  { ask: 'x.wild.zone.example A', answer: ['x.wild.zone.example. 120 IN A 203.0.113.9'] },
  { ask: 'mail.zone.example MX', answer: ['mail.zone.example. 120 IN MX 10 a.zone.example.'] },
  { ask: 'tls.zone.example TYPE65', answer: ['tls.zone.example. 120 IN HTTPS 1 .'] },
  { ask: 'a.zone.example MX', answer: [], soa },
  { ask: 'nx.zone.example A', status: 'NXDOMAIN', answer: [], soa },
  // The service removes private addresses from the answer for a public name.
  { ask: 'private.zone.example A', answer: ['private.zone.example. 120 IN A 203.0.113.2'] },
  { ask: 'private.zone.example AAAA', answer: [] },
];

const dnsmasqRows: readonly Row[] = [
  { ask: 'host.masq.example A', answer: ['host.masq.example. 90 IN A 203.0.113.20'] },
  { ask: 'host.masq.example AAAA', answer: ['host.masq.example. 90 IN AAAA 2001:db8::20'] },
  {
    ask: 'alias.masq.example A',
    answer: ['alias.masq.example. 90 IN CNAME host.masq.example.', 'host.masq.example. 90 IN A 203.0.113.20'],
  },
  { ask: 'text.masq.example TXT', answer: ['text.masq.example. 90 IN TXT "hello" "world"'] },
  {
    ask: '_http._tcp.masq.example SRV',
    answer: ['_http._tcp.masq.example. 90 IN SRV 0 0 80 host.masq.example.'],
  },
  { ask: 'x.all.masq.example A', answer: ['x.all.masq.example. 90 IN A 203.0.113.21'] },
  { ask: 'host.masq.example MX', answer: [] },
  { ask: 'nx.masq.example A', status: 'NXDOMAIN', answer: [] },
];

const check = async (server: Server, rows: readonly Row[]): Promise<void> => {
  const replies = await runQueries(
    'dig',
    server,
    rows.map((row) => row.ask),
  );
  for (const [index, { status = 'NOERROR', answer, soa: wanted }] of rows.entries()) {
    const seen = replies[index] ?? assert.fail('No reply.');
    assert.equal(seen.status, status, seen.text);
    assert.deepEqual(seen.answer, answer, seen.text);
    assert.deepEqual(seen.flags, ['qr', 'rd', 'ra'], seen.text);
    if (wanted !== undefined) assert.match(seen.authority[0] ?? '', wanted, seen.text);
  }
};

const checkBigText = async ({ address, port }: Server): Promise<void> => {
  const retried = await runTool([], 'dig', [`@${address}`, '-p', String(port), 'big.zone.example', 'TXT']);
  assert.match(retried, /Truncated, retrying in TCP mode/u);
  assert.equal(retried.match(/"\d+ x{150}"/gu)?.length, bigTextRecords, retried);
};

const flush = async (service: Service): Promise<void> => {
  const { status } = await service.call('POST', '/api/action/flush/cache', { via: 'control' });
  assert.equal(status, 200);
};

const scene = async (t: TestContext) => {
  const identity = await issueIdentity(['dot.example', '127.0.0.1']);
  const [unbound, dnsmasq] = await Promise.all([startUnbound(t, identity), startDnsmasq(t)]);
  const service = await bootDns(t, { env: { NODE_EXTRA_CA_CERTS: identity.certFile } });
  const server: Server = { address: '127.0.0.1', port: await portOf(service) };
  return { unbound, dnsmasq, service, server };
};

test('other resolvers as upstreams', async (t) => {
  const { unbound, dnsmasq, service, server } = await scene(t);
  const unboundForms = [
    `127.0.0.1#${unbound.port}`,
    `127.0.0.1:${unbound.port}`,
    `udp://127.0.0.1:${unbound.port}`,
    `tcp://127.0.0.1:${unbound.port}`,
    `tls://127.0.0.1:${unbound.tlsPort}`,
    `tls://127.0.0.1:${unbound.tlsPort}?name=dot.example`,
  ];
  for (const form of unboundForms)
    await t.test(`unbound as ${form} answers all questions`, async () => {
      await mustSetDns(service, { upstreams: [form] });
      await flush(service);
      await check(server, unboundRows);
      await checkBigText(server);
    });

  for (const form of [`127.0.0.1#${dnsmasq.port}`, `tcp://127.0.0.1:${dnsmasq.port}`])
    await t.test(`dnsmasq as ${form} answers all questions`, async () => {
      await mustSetDns(service, { upstreams: [form] });
      await flush(service);
      await check(server, dnsmasqRows);
    });

  await t.test('one whose certificate has another name is not used, and the log says why', async () => {
    await mustSetDns(service, { upstreams: [`tls://127.0.0.1:${unbound.tlsPort}?name=other.example`] });
    await flush(service);
    const { status, extendedErrors } = await runQuery('dig', server, 'a.zone.example A');
    assert.deepEqual([status, extendedErrors], ['SERVFAIL', [23]]);
    await until('The log says why', () => /other\.example/u.exec(service.log()) ?? undefined);
  });

  await t.test('dns.domainUpstreams sends each domain to its own upstream', async () => {
    await mustSetDns(service, {
      upstreams: [`127.0.0.1#${unbound.port}`],
      domainUpstreams: [`masq.example 127.0.0.1#${dnsmasq.port}`],
    });
    await flush(service);
    await check(server, [...unboundRows, ...dnsmasqRows]);
    await mustSetDns(service, { domainUpstreams: [] });
  });

  await t.test('a resolver that dies is replaced by the other, and used again when it is back', async () => {
    await mustSetDns(service, {
      upstreams: [`127.0.0.1#${dnsmasq.port}`, `127.0.0.1#${unbound.port}`],
      upstreamMode: 'strict',
    });
    await flush(service);
    assert.equal((await runQuery('dig', server, 'host.masq.example A')).status, 'NOERROR');
    await dnsmasq.end();
    const names = Array.from({ length: 20 }, (_, index) => `n${index}.wild.zone.example A`);
    for (const { status } of await runQueries('dig', server, names)) assert.equal(status, 'NOERROR');
    await startDnsmasq(t, { port: dnsmasq.port });
    await until('The first resolver is used again', async () => {
      const { status } = await runQuery('dig', server, `n${Date.now()}.all.masq.example A`);
      return status === 'NOERROR' ? true : undefined;
    });
  });
});
