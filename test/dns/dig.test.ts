// What dig and kdig see: the same answers over UDP and TCP, IPv4 and IPv6, with UDP in batches and one
// datagram at a time. The service answers everything here itself; there is no upstream.

import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';

import { runQuery, runQueries, runTool, type Client, type Seen, type Server } from './support/clients.ts';
import { bootDns, listeningOf, threadsOf } from './support/service.ts';

const manyAddresses = Array.from({ length: 100 }, (_, index) => `10.9.0.${index + 1} many.lan`);
const hosts = [
  '192.168.1.10 nas.home.arpa nas',
  'fd00::10 nas.home.arpa',
  '192.168.1.20 *.lab.home.arpa',
  '10.0.0.9 deep.lab.home.arpa',
  '192.0.2.80 web.example.org',
  ...manyAddresses,
];
const cnames = [
  'files.home.arpa,nas.home.arpa',
  'www.lab.home.arpa,web.example.org,300',
  'loop.lan,loop.lan',
];

type Row = {
  readonly ask: string;
  readonly status?: string;
  /** Flags besides qr, rd and ra, which all replies have unless a row says otherwise. */
  readonly flags?: string;
  readonly answer?: readonly string[];
  /** The TTL of the SOA record in the authority section; undefined: there must be none. */
  readonly soaTtl?: number;
  readonly errors?: readonly number[];
};

const reverse = (address: string): string => `-x ${address}`;
const none: readonly string[] = [];

const rows: readonly Row[] = [
  { ask: 'nas.home.arpa A', answer: ['nas.home.arpa. 60 IN A 192.168.1.10'] },
  { ask: 'nas.home.arpa AAAA', answer: ['nas.home.arpa. 60 IN AAAA fd00::10'] },
  { ask: 'nas A', answer: ['nas. 60 IN A 192.168.1.10'] },
  { ask: 'nas AAAA', answer: none, soaTtl: 60 },
  { ask: 'nas.home.arpa HTTPS', answer: none, soaTtl: 60 },
  { ask: 'nas.home.arpa MX', answer: none, soaTtl: 60 },
  { ask: 'nas.home.arpa TYPE65535', answer: none, soaTtl: 60 },
  { ask: 'x.lab.home.arpa A', answer: ['x.lab.home.arpa. 60 IN A 192.168.1.20'] },
  { ask: 'y.x.lab.home.arpa A', answer: ['y.x.lab.home.arpa. 60 IN A 192.168.1.20'] },
  { ask: 'deep.lab.home.arpa A', answer: ['deep.lab.home.arpa. 60 IN A 10.0.0.9'] },
  { ask: 'lab.home.arpa A', answer: none, soaTtl: 3600 },
  { ask: 'unknown.home.arpa A', status: 'NXDOMAIN', soaTtl: 3600 },
  {
    ask: 'files.home.arpa A',
    answer: ['files.home.arpa. 60 IN CNAME nas.home.arpa.', 'nas.home.arpa. 60 IN A 192.168.1.10'],
  },
  { ask: 'files.home.arpa CNAME', answer: ['files.home.arpa. 60 IN CNAME nas.home.arpa.'] },
  {
    ask: 'www.lab.home.arpa A',
    answer: ['www.lab.home.arpa. 300 IN CNAME web.example.org.', 'web.example.org. 60 IN A 192.0.2.80'],
  },
  { ask: reverse('192.168.1.10'), answer: ['10.1.168.192.in-addr.arpa. 60 IN PTR nas.home.arpa.'] },
  { ask: reverse('192.0.2.80'), answer: ['80.2.0.192.in-addr.arpa. 60 IN PTR web.example.org.'] },
  { ask: reverse('192.168.1.11'), status: 'NXDOMAIN', soaTtl: 3600 },
  { ask: reverse('fe80::1'), status: 'NXDOMAIN', soaTtl: 3600 },
  { ask: reverse('127.0.0.1'), answer: ['1.0.0.127.in-addr.arpa. 3600 IN PTR localhost.'] },
  { ask: 'localhost A', answer: ['localhost. 3600 IN A 127.0.0.1'] },
  { ask: 'a.localhost AAAA', answer: ['a.localhost. 3600 IN AAAA ::1'] },
  { ask: 'localhost MX', answer: none, soaTtl: 3600 },
  { ask: 'a.invalid A', status: 'NXDOMAIN', soaTtl: 3600 },
  { ask: 'printer.local A', status: 'NXDOMAIN', soaTtl: 3600 },
  { ask: 'x.onion A', status: 'NXDOMAIN', soaTtl: 3600 },
  { ask: '_dns.resolver.arpa TYPE64', answer: none, soaTtl: 2, errors: [15] },
  { ask: 'use-application-dns.net A', status: 'NXDOMAIN', soaTtl: 2, errors: [15] },
  { ask: 'mask.icloud.com AAAA', status: 'NXDOMAIN', soaTtl: 2, errors: [15] },
  { ask: 'mask-h2.icloud.com A', status: 'NXDOMAIN', soaTtl: 2, errors: [15] },
  { ask: 'nas.home.arpa ANY +notcp', answer: ['nas.home.arpa. 3600 IN HINFO "RFC8482" ""'] },
  { ask: 'public.example ANY +notcp', answer: ['public.example. 3600 IN HINFO "RFC8482" ""'] },
  { ask: 'version.bind CH TXT', answer: ['version.bind. 0 CH TXT "sluice 0.1.0"'] },
  { ask: 'hostname.bind CH TXT', status: 'NOTIMP', flags: '', errors: [21] },
  { ask: 'nas.home.arpa A +norec', answer: ['nas.home.arpa. 60 IN A 192.168.1.10'] },
  { ask: 'unasked.example A +norec', status: 'REFUSED', flags: '', errors: [20] },
  { ask: 'public.example A', status: 'SERVFAIL', flags: '' },
  { ask: 'nas.home.arpa A +cdflag +dnssec', flags: 'aa cd', answer: ['nas.home.arpa. 60 IN A 192.168.1.10'] },
  { ask: 'nas.home.arpa A +bufsize=100', answer: ['nas.home.arpa. 60 IN A 192.168.1.10'] },
  { ask: 'nas.home.arpa A +ednsopt=65001:0102', answer: ['nas.home.arpa. 60 IN A 192.168.1.10'] },
  { ask: 'nas.home.arpa A +subnet=192.0.2.0/24', answer: ['nas.home.arpa. 60 IN A 192.168.1.10'] },
];

/** With EDNS, but without the cookie that dig sends by default. */
const everyWay = { dig: ['+nocookie'], kdig: ['+edns'] } as const;
const networks = ['127.0.0.1', '::1'] as const;
const transports = [['+notcp'], ['+tcp']] as const;

const check = (row: Row, seen: Seen): void => {
  const { ask: question, status = 'NOERROR', flags = 'aa', answer = none, soaTtl, errors = [] } = row;
  const wanted = ['qr', 'ra', question.includes('+norec') ? '' : 'rd', ...flags.split(' ')];
  assert.equal(seen.status, status, seen.text);
  assert.deepEqual(seen.flags.toSorted(), wanted.filter((flag) => flag !== '').toSorted(), seen.text);
  assert.deepEqual(seen.answer, answer, seen.text);
  const ttls = seen.authority.map((record) => Number(/ (\d+) IN SOA /u.exec(record)?.[1]));
  assert.deepEqual(ttls, soaTtl === undefined ? [] : [soaTtl], seen.text);
  if (status !== 'SERVFAIL') assert.deepEqual(seen.extendedErrors, errors, seen.text);
  assert.match(seen.edns, /ersion: 0.*1232/u, seen.text);
};

const checkTable = async (client: Client, server: Server): Promise<void> => {
  const questions = rows.map((row) => row.ask.replace(' +notcp', ''));
  // dig sends ANY over TCP by default.
  const options = [...everyWay[client], ...(server.options ?? [])];
  const all = await runQueries(client, { ...server, options }, questions);
  for (const [index, row] of rows.entries()) check(row, all[index] ?? assert.fail(row.ask));
};

const checkOwnNames = async (server: Server): Promise<void> => {
  const type = server.address.includes(':') ? 'AAAA' : 'A';
  for (const name of ['sluice.internal', hostname()]) {
    const { answer } = await runQuery('dig', server, `${name} ${type}`);
    assert.deepEqual(answer, [`${name}. 60 IN ${type} ${server.address}`]);
  }
};

const checkEdns = async (server: Server): Promise<void> => {
  const future = await runQuery('dig', server, 'nas.home.arpa A +edns=1 +noednsnegotiation');
  assert.equal(future.status, 'BADVERS', future.text);
  assert.deepEqual(future.answer, []);
  const negotiated = await runTool([], 'dig', place(server, 'nas.home.arpa', '+edns=1'));
  assert.match(negotiated, /BADVERS, retrying with EDNS version 0/u);
  assert.match(negotiated, /192\.168\.1\.10/u);
  const without = await runQuery('dig', server, 'x.onion A +noedns');
  assert.deepEqual([without.status, without.edns], ['NXDOMAIN', '']);
  // Unknown flags and options are not sent back (RFC 6891 section 6.1.2).
  const odd = await runTool(
    [],
    'dig',
    place(server, 'nas.home.arpa', '+ednsflags=0x4000', '+nsid', '+cookie'),
  );
  assert.match(odd, /EDNS: version: 0, flags:; udp: 1232/u);
  assert.doesNotMatch(odd, /NSID|COOKIE: [0-9a-f]{32}/u);
};

/** dig only: kdig converts names to lower case before it sends them. */
const checkCase = async (server: Server): Promise<void> => {
  const { question, answer } = await runQuery('dig', server, 'FiLeS.hOmE.aRpA A');
  assert.equal(question, 'FiLeS.hOmE.aRpA.');
  // Compression refers to the question for the end of the target, which so has the question's case.
  assert.match(answer[0] ?? '', /^FiLeS\.hOmE\.aRpA\. 60 IN CNAME nas\.home\.arpa\.$/iu);
};

const checkTruncation = async (server: Server): Promise<void> => {
  const cut = await runQuery('dig', server, 'many.lan A +ignore +notcp');
  assert.ok(cut.flags.includes('tc') && cut.sizeBytes <= 1232, cut.text);
  const small = await runQuery('dig', server, 'many.lan A +ignore +notcp +noedns');
  assert.ok(small.flags.includes('tc') && small.sizeBytes <= 512, small.text);
  const large = await runQuery('dig', server, 'many.lan A +notcp +bufsize=4096 +ignore');
  assert.ok(large.flags.includes('tc') && large.sizeBytes <= 1232, large.text);
  const retried = await runTool([], 'dig', place(server, 'many.lan'));
  assert.match(retried, /Truncated, retrying in TCP mode/u);
  assert.equal(retried.match(/IN\s+A\s+10\.9\.0\.\d+/gu)?.length, manyAddresses.length);
};

/** Sends all questions on one connection, the next before the last is answered. */
const checkPipelining = async (server: Server): Promise<void> => {
  const options = ['+tcp', '+keepopen'];
  const questions = Array.from({ length: 60 }, (_, index) => `n${index}.lab.home.arpa A`);
  const replies = await runQueries('kdig', { ...server, options }, questions);
  assert.deepEqual(
    replies.map(({ answer }) => answer[0]),
    questions.map((question) => `${question.split(' ')[0]}. 60 IN A 192.168.1.20`),
  );
};

const place = ({ address, port }: Server, ...rest: readonly string[]): readonly string[] => [
  `@${address}`,
  '-p',
  String(port),
  ...rest,
];

for (const udp of ['batched', 'plain'] as const) {
  test(`a service with dns.udp = ${udp} and two workers`, async (t) => {
    const service = await bootDns(t, {
      env: {
        SLUICE_DNS_LISTEN: '127.0.0.1:0,[::1]:0',
        SLUICE_DNS_UDP: udp,
        SLUICE_DNS_WORKERS: '2',
        SLUICE_DNS_HOSTS: JSON.stringify(hosts),
        SLUICE_DNS_CNAME_RECORDS: JSON.stringify(cnames),
        SLUICE_DNS_UPSTREAMS: '127.0.0.1#9',
      },
    });
    const listening = await listeningOf(service);
    for (const address of networks) {
      const port = listening.find((one) => one.address.includes(address))?.port ?? 0;
      const server = { address, port };
      for (const [option] of transports)
        for (const client of ['dig', 'kdig'] as const)
          await t.test(`answers the questions of ${client} ${option} @${address}`, () =>
            checkTable(client, { ...server, options: [option] }),
          );
      await t.test(`handles its own names, EDNS, truncation and pipelining @${address}`, async () => {
        await checkOwnNames(server);
        await checkCase(server);
        await checkEdns(server);
        await checkTruncation(server);
        await checkPipelining(server);
      });
    }
    const workers = (await threadsOf(service)).filter(({ name }) => name.startsWith('dns'));
    assert.equal(workers.length, 2);
  });
}
