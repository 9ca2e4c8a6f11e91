// The texts of the start screen: addresses for devices, ports with reasons, lists, upstreams, problems.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bindReason, cannotListen, type ClosedListener, type Listening } from '#platform/sockets';
import { portProblems } from '#control/health';
import { blockingLine, dnsLines, portLines, screenText, type StartScreen } from './start-screen.ts';

const unusable = 'Routers and phones cannot use it: they send DNS only to port 53.';

function endpoint(address: string, port: number, isAnswered = true): Listening['dns'][number] {
  return { address, port, isAnswered, missing: isAnswered ? [] : ['dns1'] };
}

function web(setting: string, port: number): Listening['open'][number] {
  const listener = { kind: 'tcp', fd: 1, family: 'both', address: '::', port, backlog: 511 } as const;
  return { setting, listener };
}

function closed(
  setting: string,
  host: string,
  port: number,
  code: string,
  wanted = `*:${port}`,
): ClosedListener {
  const where = setting === 'dns.listen' ? `${host}:${port} (UDP and TCP)` : wanted;
  const holder = { pid: 812, name: 'nginx', user: 'root' };
  const reason = bindReason({ family: 'ipv4', host, zone: '', port }, code, holder);
  const problem = cannotListen(setting, where, reason);
  return { setting, address: host, port, wanted, where, kinds: ['tcp'], code, reason, problem };
}

describe('the addresses for devices', () => {
  const machine = ['192.0.2.5', '2001:db8::1'];
  const table: readonly (readonly [
    what: string,
    dns: Listening['dns'],
    listen: string,
    lines: readonly string[],
  ])[] = [
    [
      'all that other devices reach, the best one first',
      [endpoint('127.0.0.1', 53), endpoint('2001:db8::1', 53), endpoint('192.0.2.5', 53)],
      '*:53',
      ['192.0.2.5', '2001:db8::1'],
    ],
    ['no link-local ones', [endpoint('fe80::1%eth0', 53), endpoint('192.0.2.5', 53)], '*:53', ['192.0.2.5']],
    [
      'a port other than 53 is called unusable, also a configured one',
      [endpoint('192.0.2.5', 5353)],
      '0.0.0.0:5353',
      ['192.0.2.5, port 5353', unusable],
    ],
    [
      'port 53 alone where both are open',
      [endpoint('192.0.2.5', 5300), endpoint('192.0.2.5', 53)],
      '*:53',
      ['192.0.2.5'],
    ],
    [
      'an open address without a worker is skipped',
      [endpoint('192.0.2.5', 53, false), endpoint('2001:db8::1', 53)],
      '*:53',
      ['2001:db8::1'],
    ],
    ['an address of no known interface', [endpoint('192.0.2.77', 53)], '192.0.2.77:53', ['192.0.2.77']],
    [
      'loopback alone',
      [endpoint('127.0.0.1', 5353)],
      '127.0.0.1:5353',
      ['only this machine can use it, at 127.0.0.1, port 5353; set dns.listen for others'],
    ],
    ['nothing open', [], '*:53', ['DNS is not answered: dns.listen (*:53) is not open yet']],
    [
      'open, but not read by a worker',
      [endpoint('192.0.2.5', 53, false)],
      '*:53',
      ['DNS is not answered: dns.listen (*:53) is not open yet'],
    ],
    ['switched off', [], '', ['DNS is off (dns.listen is empty)']],
  ];
  for (const [what, dns, listen, lines] of table)
    it(`${what}: ${lines.join(' ')}`, () => assert.deepEqual(dnsLines(machine, dns, listen), lines));
});

describe('the line about blocking', () => {
  const facts = { isOn: true, names: 1_234_567, lists: 2, missing: 0, rules: 1 };
  const table = [
    [facts, '1,234,567 names of 2 lists, 1 own rule'],
    [{ ...facts, isOn: false, names: 12 }, 'off; ready: 12 names of 2 lists, 1 own rule'],
    [
      { ...facts, names: 0, lists: 0, missing: 1, rules: 0 },
      '0 names of 0 lists, 0 own rules; 1 list not in force yet, `sluice lists` shows why',
    ],
  ] as const;
  for (const [given, line] of table) it(line, () => assert.equal(blockingLine(given), line));
});

const usual: Listening = {
  open: [web('web.http', 80), web('web.https', 443)],
  dns: [endpoint('127.0.0.1', 53), endpoint('192.0.2.5', 53)],
  closed: [],
  replaced: [],
};
const fallen: Listening = {
  open: [web('web.http', 8080), web('web.https', 8443)],
  dns: [endpoint('127.0.0.1', 53), endpoint('192.0.2.5', 5300)],
  closed: [
    closed('web.http', '*', 80, 'EADDRINUSE'),
    closed('web.https', '*', 443, 'EADDRINUSE'),
    closed('dns.listen', '192.0.2.5', 53, 'EACCES'),
  ],
  replaced: [
    { setting: 'web.http', wanted: '*:80', port: 8080 },
    { setting: 'web.https', wanted: '*:443', port: 8443 },
    { setting: 'dns.listen', wanted: '*:53', port: 5300 },
  ],
};

describe('the lines about ports', () => {
  it('name the open ports alone when all are the usual ones', () =>
    assert.deepEqual(portLines(usual), ['DNS 53, HTTP 80, HTTPS 443']));

  it('say why others are used; settings with the same reason share a line', () => {
    const [open, right, taken, ...more] = portLines(fallen);
    assert.equal(open, 'DNS 5300, HTTP 8080, HTTPS 8443');
    assert.match(right ?? '', /^instead of \*:53 \(dns\.listen\): ports below 1024 need .* `sudo setcap /u);
    assert.match(
      taken ?? '',
      /^instead of \*:80 \(web\.http\), \*:443 \(web\.https\): .* nginx, process 812/u,
    );
    assert.match(taken ?? '', /Sluice opens the port within seconds when it is free\.$/u);
    assert.deepEqual(more, []);
  });

  it('name an address that has no substitute', () => {
    const one = closed('dns.listen', '192.0.2.9', 53, 'EADDRINUSE', '192.0.2.9:53');
    const [, line = ''] = portLines({ ...usual, closed: [one] });
    assert.match(line, /^not 192\.0\.2\.9:53 \(UDP and TCP\) \(dns\.listen\): the port is taken/u);
  });

  it('say that none is open', () =>
    assert.deepEqual(portLines({ open: [], closed: [], dns: [], replaced: [] }), ['none is open']));
});

describe('the start screen', () => {
  const screen: StartScreen = {
    version: '1.0.0',
    dataDir: '/var/lib/sluice',
    listening: usual,
    dnsListen: '*:53',
    reachable: ['192.0.2.5'],
    urls: ['http://192.0.2.5/', 'https://192.0.2.5/'],
    password: ['abcde-fghij', 'shown only now; `sluice password` sets another'],
    caFile: '/var/lib/sluice/tls/ca.crt',
    blocking: { isOn: true, names: 123, lists: 1, missing: 0, rules: 0 },
    upstreams: [
      { text: '9.9.9.9', answers: true },
      { text: '192.0.2.1', answers: false },
      { text: 'tls://dns.example', answers: undefined },
    ],
    degraded: [],
  };

  it('fits on one screen and has every section', () => {
    assert.equal(
      screenText(screen),
      `
Sluice 1.0.0 is running.

  DNS for devices   192.0.2.5
  Web interface     http://192.0.2.5/
                    https://192.0.2.5/
  Password          abcde-fghij
                    shown only now; \`sluice password\` sets another
  Trust HTTPS       import /var/lib/sluice/tls/ca.crt into your browser
  Blocking          123 names of 1 list, 0 own rules
  Upstreams         9.9.9.9 answers
                    192.0.2.1 does not answer
                    tls://dns.example has not answered yet
  Data folder       /var/lib/sluice
  Ports             DNS 53, HTTP 80, HTTPS 443
  Degraded          nothing

`,
    );
  });

  it('wraps long lines, keeps commands whole, and refers to the ports section', () => {
    const reason = portProblems(fallen, 'dns.listen').join(' ');
    const degraded = [
      { part: 'dns', reason, sinceMs: 0 },
      { part: 'history', reason: 'The disk is full.', sinceMs: 0 },
    ] as const;
    const text = screenText({ ...screen, listening: fallen, degraded });
    assert.ok(text.includes(`\`sudo setcap cap_net_bind_service=+ep ${process.execPath}\``), text);
    assert.match(text, /Degraded +dns: see Ports\n +history: The disk is full\.\n/u);
    const long = text.split('\n').filter((line) => line.length > 100 && !line.includes('setcap'));
    assert.deepEqual(long, []);
  });

  it('has no URL when no web address is open', () => {
    const text = screenText({ ...screen, urls: [], caFile: undefined });
    assert.doesNotMatch(text, /https?:\/\//u);
    assert.match(text, /the web interface is not open/u);
  });

  it('says that there is no upstream, or that DNS is off', () => {
    assert.match(screenText({ ...screen, upstreams: [] }), /Upstreams +none: set dns\.upstreams/u);
    assert.match(screenText({ ...screen, upstreams: undefined }), /Upstreams +not used: DNS is off/u);
  });
});
