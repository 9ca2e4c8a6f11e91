// The sentences about ports that are not available, and the names of the programs that hold them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClosedListener, HolderQuestion, Listening, PortHolder } from '#platform/sockets';
import { createHolderNamer } from './port-holders.ts';
import { portProblems } from './port-problems.ts';

function closedDns(host: string, more: Partial<ClosedListener> = {}): ClosedListener {
  return {
    setting: 'dns.listen',
    address: host,
    port: 53,
    wanted: '*:53',
    where: `${host}:53 (UDP and TCP)`,
    kinds: ['udp', 'tcp'],
    code: 'EADDRINUSE',
    reason: 'it is taken.',
    problem: `dns.listen: cannot listen on ${host}:53 (UDP and TCP): it is taken.`,
    ...more,
  };
}

const hosts = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'];
const web = closedDns('*', { setting: 'web.http', port: 80, wanted: '*:80', where: '*:80' });
const right = { code: 'EACCES', reason: 'no right.' };
const dnsOn5300 = { setting: 'dns.listen', wanted: '*:53', port: 5300 };

describe('the problems of ports', () => {
  const rows: readonly {
    readonly title: string;
    readonly setting?: string;
    readonly closed: readonly ClosedListener[];
    readonly replaced?: Listening['replaced'];
    readonly problems: readonly string[];
  }[] = [
    { title: 'are none while everything is open', closed: [], problems: [] },
    {
      title: 'name the address',
      closed: [closedDns('10.0.0.1')],
      problems: ['dns.listen: cannot listen on 10.0.0.1:53 (UDP and TCP): it is taken.'],
    },
    {
      title: 'are one sentence for several addresses with one reason',
      closed: hosts.map((host) => closedDns(host)),
      problems: [
        'dns.listen: cannot listen on 10.0.0.1:53 (UDP and TCP), 10.0.0.2:53 (UDP and TCP), ' +
          '10.0.0.3:53 (UDP and TCP) and 1 more: it is taken.',
      ],
    },
    {
      title: 'call the fallback port of DNS unusable for routers and phones',
      closed: hosts.map((host) => closedDns(host)),
      replaced: [dnsOn5300],
      problems: [
        'dns.listen: cannot listen on *:53: it is taken. Until then DNS is answered on port 5300. ' +
          'Routers and phones cannot use it: they send DNS only to port 53. ' +
          'Port 53 is opened within seconds when it is free.',
      ],
    },
    {
      title: 'promise nothing when the right is missing',
      closed: [closedDns('10.0.0.1', right)],
      replaced: [dnsOn5300],
      problems: [
        'dns.listen: cannot listen on *:53: no right. Until then DNS is answered on port 5300. Routers and ' +
          'phones cannot use it: they send DNS only to port 53.',
      ],
    },
    {
      title: 'name the fallback port of the web interface',
      setting: 'web.http',
      closed: [closedDns('10.0.0.1'), web],
      replaced: [dnsOn5300, { setting: 'web.http', wanted: '*:80', port: 8080 }],
      problems: [
        'web.http: cannot listen on *:80: it is taken. Until then port 8080 is used. ' +
          'Port 80 is opened within seconds when it is free.',
      ],
    },
    {
      title: 'are whole sentences without a code of the system',
      closed: [closedDns('10.0.0.1', { code: '', reason: 'Too many addresses.' })],
      problems: ['Too many addresses.'],
    },
  ];
  for (const { title, setting = 'dns.listen', closed, replaced = [], problems } of rows)
    it(title, () => assert.deepEqual(portProblems({ closed, replaced }, setting), problems));
});

describe('the names of programs', () => {
  it('are added to taken ports, and looked up again only when other ports are taken', () => {
    const asked: (readonly HolderQuestion[])[] = [];
    const holder: PortHolder = { pid: 812, name: 'dnsmasq', user: 'root' };
    const name = createHolderNamer((questions) => {
      asked.push(questions);
      return questions.map(({ address }) => (address.host === '10.0.0.1' ? holder : undefined));
    });
    const other = closedDns('10.0.0.3', right);
    const listening = { open: [], dns: [], replaced: [], closed: [closedDns('10.0.0.1'), other] };
    for (let round = 0; round < 2; round++) {
      const [first, second] = name(listening).closed;
      const reason = 'the port is taken by another program, dnsmasq, process 812 (EADDRINUSE). Stop it or';
      assert.ok(first?.reason.startsWith(reason) === true, String(first?.reason));
      const problem = `dns.listen: cannot listen on 10.0.0.1:53 (UDP and TCP): ${reason}`;
      assert.ok(first.problem.startsWith(problem), first.problem);
      assert.equal(second, other);
    }
    assert.equal(asked.length, 1);
    const unknown = closedDns('10.0.0.2');
    assert.deepEqual(name({ ...listening, closed: [unknown] }).closed, [unknown]);
    assert.deepEqual(asked.length, 2);
  });
});
