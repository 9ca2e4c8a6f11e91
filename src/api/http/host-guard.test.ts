import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGuard, hostNameOf } from './host-guard.ts';

const guard = createGuard({
  hosts: ['dns.example.org'],
  origins: ['https://dashboard.example'],
  ownNames: ['myhost.corp.example'],
  ownDomains: ['Network.example.'],
});
function failureOf(host: string | undefined, origin?: string, secFetchSite?: string) {
  return guard({ host, origin, secFetchSite })?.failure;
}

describe('Host', () => {
  const ours = [
    '127.0.0.1',
    '127.0.0.1:8080',
    '[::1]',
    '[::1]:443',
    '192.0.2.5',
    'localhost',
    'localhost:80',
    'sluice',
    'SLUICE:80',
    'sluice.internal',
    'x.lan',
    'a.b.local',
    'host.home.arpa',
    'x.localhost',
    'dns.example.org',
    'DNS.Example.ORG.:8443',
    'myhost.corp.example',
    'host.local.',
    'sluice.fritz.box',
    'dns.home',
    'box.tail1234.ts.net',
    'nas.network.example',
    'a.b.network.example:8443',
  ];
  for (const host of ours) it(`${host} is accepted`, () => assert.equal(failureOf(host), undefined));

  const foreign = [
    'example.org',
    'evil.dns.example.org',
    'dns.example.org.evil.example',
    '127.0.0.1.evil.example',
    'lan.example',
    'home.example',
    'fritz.box.evil.example',
    'evilfritz.box',
    'evilts.net',
    'network.example',
    'evilnetwork.example',
    'other.corp.example',
    'xlocal.example',
    'a b',
    '[::1',
    '127.0.0.1:80:80',
    'evil.example:80',
    '',
  ];
  for (const host of foreign) {
    it(`${JSON.stringify(host)} is refused`, () => assert.equal(failureOf(host), 'misdirected'));
  }

  it('is required', () => assert.equal(failureOf(undefined), 'invalidRequest'));

  it('is checked correctly after more hosts than the guard remembers', () => {
    for (let index = 0; index < 5_000; index++) assert.equal(failureOf(`h${index}.example`), 'misdirected');
    assert.equal(failureOf('localhost'), undefined);
  });
});

describe('Origin and Sec-Fetch-Site', () => {
  const cases: readonly (readonly [
    what: string,
    host: string,
    origin: string | undefined,
    site: string | undefined,
    failure: string | undefined,
  ])[] = [
    ['a client that is no browser', 'sluice.lan', undefined, undefined, undefined],
    ['our own page', 'sluice.lan', 'http://sluice.lan', 'same-origin', undefined],
    ['our own page with a port', 'sluice.lan:8080', 'http://sluice.lan:8080', 'same-origin', undefined],
    ['our own page, default port in Host', 'sluice.lan:443', 'https://sluice.lan', undefined, undefined],
    ['a URL typed into the address bar', 'sluice.lan', undefined, 'none', undefined],
    ['another port of our host', 'sluice.lan:8080', 'http://sluice.lan:9090', 'same-site', 'foreignOrigin'],
    ['a page of another site', 'sluice.lan', 'https://evil.example', 'cross-site', 'foreignOrigin'],
    [
      'our own name, but Sec-Fetch-Site: cross-site',
      'sluice.lan',
      'http://sluice.lan',
      'cross-site',
      'foreignOrigin',
    ],
    ['an opaque origin', 'sluice.lan', 'null', 'cross-site', 'foreignOrigin'],
    ['an image in a page of another site', 'sluice.lan', undefined, 'cross-site', 'foreignOrigin'],
    ['an allowed page', 'sluice.lan', 'https://dashboard.example', 'cross-site', undefined],
    ['an allowed page in upper case', 'sluice.lan', 'https://Dashboard.example', 'cross-site', undefined],
    ['an allowed page over http', 'sluice.lan', 'http://dashboard.example', 'cross-site', 'foreignOrigin'],
    [
      'a name that begins like ours',
      'sluice.lan',
      'http://sluice.lan.evil.example',
      undefined,
      'foreignOrigin',
    ],
    ['a path in Origin', 'sluice.lan', 'http://sluice.lan/x', undefined, 'foreignOrigin'],
  ];
  for (const [what, host, origin, site, failure] of cases) {
    it(`${what}: ${failure ?? 'accepted'}`, () => assert.equal(failureOf(host, origin, site), failure));
  }
});

describe('hostNameOf', () => {
  const cases = [
    ['[fe80::1%25eth0]:80', 'fe80::1%25eth0'],
    ['Host.Example.:80', 'host.example'],
    ['[::1]', '::1'],
  ] as const;
  for (const [host, name] of cases) it(`${host} is ${name}`, () => assert.equal(hostNameOf(host), name));
});
