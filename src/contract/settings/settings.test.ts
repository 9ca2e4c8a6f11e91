import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settingEntries, settingTopics } from './settings.ts';
import { environmentName, nest } from './values.ts';

function setting(path: string) {
  const entry = settingEntries.find((candidate) => candidate.path === path);
  assert.ok(entry, `${path} is declared`);
  return entry.setting;
}

describe('the declarations', () => {
  it('have the paths that existing clients use', () => {
    const fixed = [
      'web.http',
      'web.https',
      'web.redirect',
      'web.basePath',
      'web.trustedProxies',
      'web.hosts',
      'web.origins',
      'web.certFile',
      'web.keyFile',
      'auth.password',
      'auth.validitySeconds',
      'auth.maxSessions',
      'auth.bindAddress',
      'dns.listen',
      'dns.upstreams',
      'dns.workers',
      'storage.dir',
      'dns.hosts',
      'dns.cnameRecords',
      'dns.revServers',
      'dns.blocking.mode',
      'dns.blockTTL',
    ];
    for (const path of fixed) setting(path);
  });

  it('have defaults that pass their own check', () => {
    for (const { path, setting: declared } of settingEntries) {
      assert.equal(declared.problem(declared.default), undefined, path);
      assert.deepEqual(declared.normalise(declared.default), declared.default, path);
    }
  });

  it('have a help text, and a topic with a description', () => {
    for (const { path, setting: declared } of settingEntries) {
      assert.match(declared.help, /\.$/, path);
      assert.ok(
        settingTopics.some(({ name }) => path.startsWith(`${name}.`)),
        path,
      );
    }
  });

  it('have environment names that are unique', () => {
    const names = settingEntries.map(({ path }) => environmentName(path));
    assert.equal(new Set(names).size, names.length);
  });
});

describe('environmentName', () => {
  const cases = [
    ['auth.bindAddress', 'SLUICE_AUTH_BIND_ADDRESS'],
    ['dns.blockTTL', 'SLUICE_DNS_BLOCK_TTL'],
    ['web.http', 'SLUICE_WEB_HTTP'],
    ['dns.specialDomains.iCloudPrivateRelay', 'SLUICE_DNS_SPECIAL_DOMAINS_I_CLOUD_PRIVATE_RELAY'],
  ] as const;
  for (const [path, name] of cases) {
    it(`${path} is ${name}`, () => assert.equal(environmentName(path), name));
  }
});

describe('values', () => {
  const cases: readonly (readonly [path: string, value: unknown, problem: string | undefined])[] = [
    ['web.redirect', true, undefined],
    ['web.redirect', 'true', 'not of type bool'],
    ['auth.validitySeconds', 60, undefined],
    ['auth.validitySeconds', 59, 'not within valid range'],
    ['auth.validitySeconds', 60.5, 'not of type integer'],
    ['auth.validitySeconds', '60', 'not of type integer'],
    ['dns.blocking.mode', 'NX', undefined],
    ['dns.blocking.mode', 'NXDOMAIN', 'invalid option'],
    ['web.basePath', '/sluice', undefined],
    ['web.basePath', 'sluice', 'not a path prefix'],
    ['web.basePath', '/sluice/', 'not a path prefix'],
    ['web.hosts', ['dns.example.org'], undefined],
    ['web.hosts', ['http://x'], '[0]: not a host name ("http://x")'],
    ['web.hosts', 'dns.example.org', 'not of type array'],
    ['web.hosts', [5], 'array has invalid elements'],
    ['web.trustedProxies', ['10.0.0.0/8', 'fd00::/64', '::1'], undefined],
    ['web.trustedProxies', ['10.0.0.0/33'], '[0]: prefix length not from 0 to 32 ("10.0.0.0/33")'],
    ['web.trustedProxies', ['fd00::/129'], '[0]: prefix length not from 0 to 128 ("fd00::/129")'],
    ['web.trustedProxies', ['localhost'], '[0]: neither an address nor a range ("localhost")'],
    ['web.origins', ['https://a.example', 'http://[::1]:8080'], undefined],
    ['web.origins', ['https://a.example/'], '[0]: not an origin ("https://a.example/")'],
    ['web.http', '', undefined],
    ['web.certFile', 'x'.repeat(4097), 'longer than 4096 characters'],
    ['dns.hosts', ['192.0.2.1 nas.lan nas', '2001:db8::1 six # a comment'], undefined],
    ['dns.hosts', ['nas.lan 192.0.2.1'], '[0]: neither a valid IPv4 nor IPv6 address ("nas.lan 192.0.2.1")'],
    ['dns.hosts', ['192.0.2.1'], '[0]: entry does not have at least one hostname ("192.0.2.1")'],
    ['dns.hosts', ['192.0.2.1 a..b'], '[0]: invalid hostname ("192.0.2.1 a..b")'],
    ['dns.cnameRecords', ['a.lan,b.lan', 'a.lan,c.lan,b.lan,300'], undefined],
    ['dns.cnameRecords', ['a.lan'], '[0]: not a valid CNAME definition (too few elements) ("a.lan")'],
    ['dns.cnameRecords', ['a.lan,'], '[0]: contains an empty string at position 1 ("a.lan,")'],
    ['dns.revServers', ['true,192.168.0.0/24,192.168.0.1#53,lan', 'false,fd00::/8,fd00::1'], undefined],
    [
      'dns.revServers',
      ['yes,10.0.0.0/8,10.0.0.1'],
      '[0]: first element is neither true nor false ("yes,10.0.0.0/8,10.0.0.1")',
    ],
    ['dns.revServers', ['true,10.0.0.0/8'], '[0]: does not have three or four elements ("true,10.0.0.0/8")'],
    [
      'dns.revServers',
      ['true,10.0.0.0/8,10.0.0.1#99999'],
      '[0]: third element is not a server ("true,10.0.0.0/8,10.0.0.1#99999")',
    ],
    [
      'dns.upstreams',
      ['9.9.9.9', '9.9.9.9#5353', '9.9.9.9:53', '[2620:fe::fe]:53', '2620:fe::fe', 'tls://dns.example:853'],
      undefined,
    ],
    [
      'dns.upstreams',
      ['tls://9.9.9.9?name=dns.example', 'https://dns.example/dns-query', 'udp://1.1.1.1'],
      undefined,
    ],
    ['dns.upstreams', ['ftp://x'], '[0]: not an upstream ("ftp://x")'],
    ['dns.upstreams', ['a b'], '[0]: not an upstream ("a b")'],
    ...[
      '1.2.3',
      '999.1.1.1',
      'https://user:pw@host/',
      'https://h:99999/',
      'udp://1.1.1.1?name=x',
      'tls://',
    ].map((text) => ['dns.upstreams', [text], `[0]: not an upstream ("${text}")`] as const),
  ];
  for (const [path, value, problem] of cases) {
    it(`${path} ${JSON.stringify(value).slice(0, 60)}: ${problem ?? 'fine'}`, () => {
      assert.equal(setting(path).problem(value), problem);
    });
  }

  it('are stored with choices in their declared case, and entries without extra blanks', () => {
    assert.equal(setting('dns.blocking.mode').normalise('nx'), 'NX');
    assert.deepEqual(setting('dns.hosts').normalise([' 192.0.2.1 \t nas.lan ']), ['192.0.2.1 nas.lan']);
  });
});

describe('nest', () => {
  it('builds one tree from dotted paths', () => {
    const tree = nest([
      ['a.b.c', 1],
      ['a.b.d', true],
      ['e', 'x'],
    ]);
    assert.deepEqual(tree, { a: { b: { c: 1, d: true } }, e: 'x' });
  });
});
