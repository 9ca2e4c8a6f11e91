// A foreign web page must not reach the service. Two attacks are tried as a browser would send them: a
// foreign name that resolves to the service's address (DNS rebinding, visible in Host), and requests from a
// foreign page (visible in Origin and Sec-Fetch-Site). The same table is tested over HTTP/1.1, HTTPS and
// HTTP/2, because each carries the host in another place.

import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, describe, test } from 'node:test';

import { boot } from './running/boot.ts';
import { sendRaw } from './running/raw.ts';
import { assertError, type Reply } from './running/reply.ts';

const allowedOrigin = 'https://dashboard.example.org';
const [plain, opened] = await Promise.all([
  boot(),
  boot({
    env: {
      SLUICE_WEB_HOSTS: 'dns.example.org,Other.Example.NET',
      SLUICE_WEB_ORIGINS: `${allowedOrigin},http://[2001:db8::1]:8080`,
    },
  }),
]);
after(() => Promise.all([plain.stop(), opened.stop()]));
const ways = ['http', 'https', 'h2'] as const;

const ourHosts = [
  '127.0.0.1',
  '127.0.0.1:8080',
  '192.0.2.77',
  '[::1]',
  '[::1]:443',
  '[2001:db8::5]:8443',
  'localhost',
  'localhost:8080',
  'LOCALHOST',
  'localhost.',
  'sluice',
  'sluice:80',
  'my-nas_2',
  'sluice.local',
  'a.b.local.',
  'sluice.lan',
  'Sluice.LAN:8080',
  'dns.internal',
  'dns.home.arpa',
  'dns.home',
  'sluice.fritz.box',
  'sluice.tail1234.ts.net:8443',
  hostname(),
];

const foreignHosts = [
  'evil.example',
  'evil.example:80',
  'dns.example.org',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '127.0.0.1.nip.io',
  'evillan',
  'notlan.example',
  'lan.example',
  'sluice.fritz.box.evil.example',
  'home.arpa.evil.example',
  'sluice.local.evil.example',
  '1.2.3.4.5',
  '256.256.256.256.example',
];

describe('Host', () => {
  for (const via of ways) {
    for (const host of ourHosts) {
      test(`${host} over ${via} gets 200`, async () => {
        const reply = await plain.call('GET', '/api/health', { via, headers: { host } });
        assert.equal(reply.status, 200, reply.text);
      });
    }
    for (const host of foreignHosts) {
      // A name of one label belongs to the local network.
      const isOneLabel = !host.includes('.');
      test(`${host} over ${via} ${isOneLabel ? 'gets 200, as local' : 'is refused with 421'}`, async () => {
        const reply = await plain.call('GET', '/api/groups', { via, headers: { host } });
        if (isOneLabel) assert.equal(reply.status, 200);
        else assertError(reply, { status: 421, key: 'misdirected_request', hint: /web\.hosts/ });
      });
    }
    test(`in web.hosts over ${via} gets 200, others are refused with 421`, async () => {
      for (const host of [
        'dns.example.org',
        'DNS.example.org:8443',
        'other.example.net',
        'dns.example.org.',
      ]) {
        assert.equal((await opened.call('GET', '/api/health', { via, headers: { host } })).status, 200, host);
      }
      for (const host of ['example.org', 'x.dns.example.org', 'dns.example.org.evil.example']) {
        const reply = await opened.call('GET', '/api/health', { via, headers: { host } });
        assertError(reply, { status: 421 });
      }
    });
  }

  test('that is foreign is refused with 421 for every kind of request', async () => {
    const headers = { host: 'evil.example' };
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/api/docs'],
      ['GET', '/api/none'],
      ['OPTIONS', '/api/groups'],
      ['POST', '/api/groups'],
      ['PUT', '/api/health'],
    ] as const) {
      assertError(await plain.call(method, path, { headers }), { status: 421 });
    }
    const head = await plain.call('HEAD', '/', { headers });
    assert.deepEqual([head.status, head.text], [421, '']);
  });

  const malformed: readonly (readonly [name: string, status: number, head: string])[] = [
    ['none', 400, 'GET /api/groups HTTP/1.1\r\n\r\n'],
    ['two', 421, 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n'],
    ['that is empty', 421, 'GET /api/health HTTP/1.1\r\nHost:\r\n\r\n'],
    ['that is missing with HTTP/1.0', 400, 'GET /api/docs HTTP/1.0\r\n\r\n'],
    ['in an absolute URL', 421, 'GET http://evil.example/api/health HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
    ['with a user', 421, 'GET /api/health HTTP/1.1\r\nHost: localhost@evil.example\r\n\r\n'],
    ['with a path', 421, 'GET /api/health HTTP/1.1\r\nHost: localhost/evil.example\r\n\r\n'],
    ['a list', 421, 'GET /api/health HTTP/1.1\r\nHost: localhost, evil.example\r\n\r\n'],
    ['with an open bracket', 421, 'GET /api/health HTTP/1.1\r\nHost: [::1\r\n\r\n'],
  ];
  for (const [name, status, head] of malformed) {
    for (const via of ['http', 'https'] as const) {
      test(`header ${name} over ${via} is refused with ${status}`, async () => {
        const { replies } = await sendRaw(plain, [head], { via, replies: 1 });
        assert.equal(replies.length, 1);
        for (const reply of replies) assertError(reply, { status });
      });
    }
  }

  for (const version of ['1.0', '1.1']) {
    test(`header none with HTTP/${version} gets 200 from /api/health, for probes`, async () => {
      const { replies } = await sendRaw(plain, [`GET /api/health HTTP/${version}\r\n\r\n`], { replies: 1 });
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200],
      );
    });
  }

  test('that is foreign gets 200 over the control socket, which no browser reaches', async () => {
    const reply = await plain.call('GET', '/api/health', {
      via: 'control',
      headers: { host: 'evil.example' },
    });
    assert.equal(reply.status, 200);
  });
});

describe('Origin and Sec-Fetch-Site', () => {
  type Row = readonly [name: string, headers: Record<string, string>, isAdmitted: boolean];
  const table: readonly Row[] = [
    ['no browser', {}, true],
    ['an own page', { host: 'localhost', origin: 'http://localhost' }, true],
    ['an own page, HTTPS', { host: 'sluice.lan:8443', origin: 'https://sluice.lan:8443' }, true],
    ['an own page, other case', { host: 'Sluice.lan', origin: 'http://sluice.LAN' }, true],
    ['an own page, IPv6', { host: '[::1]:8080', origin: 'http://[::1]:8080' }, true],
    ['default port in Host', { host: 'sluice.lan:443', origin: 'https://sluice.lan' }, true],
    ['an own page says so', { host: 'a.lan', origin: 'http://a.lan', 'sec-fetch-site': 'same-origin' }, true],
    ['typed by a person', { 'sec-fetch-site': 'none' }, true],
    ['same-origin without Origin', { 'sec-fetch-site': 'same-origin' }, true],
    ['a foreign page', { origin: 'https://evil.example' }, false],
    ['a foreign page with our path', { host: 'localhost', origin: 'http://localhost/x' }, false],
    ['another port of ours', { host: 'localhost:8080', origin: 'http://localhost:9090' }, false],
    ['another name of ours', { host: 'localhost', origin: 'http://127.0.0.1' }, false],
    ['a name that ends like ours', { host: 'a.lan', origin: 'http://evil-a.lan' }, false],
    ['a user part', { host: 'localhost', origin: 'http://localhost@evil.example' }, false],
    ['a sandboxed page', { origin: 'null' }, false],
    ['a file', { origin: 'file://' }, false],
    ['an extension', { origin: 'chrome-extension://abcdef' }, false],
    ['an empty origin', { origin: '' }, false],
    ['cross-site without Origin', { 'sec-fetch-site': 'cross-site' }, false],
    [
      'cross-site with a foreign Origin',
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      false,
    ],
  ];
  for (const via of ways) {
    for (const [name, headers, isAdmitted] of table) {
      test(`of ${name} over ${via} are ${isAdmitted ? 'accepted' : 'refused with 403'}`, async () => {
        for (const method of ['GET', 'POST']) {
          const body = method === 'POST' ? { body: { name: `by ${name} over ${via}` } } : {};
          const reply = await plain.call(method, '/api/groups', { via, headers, ...body });
          if (isAdmitted) assert.equal(reply.status, method === 'GET' ? 200 : 201, reply.text);
          else assertError(reply, { status: 403, key: 'forbidden', hint: /web\.origins/ });
          assertNoCors(reply);
        }
      });
    }
  }

  test('of a foreign page in a preflight are refused with 403 and no CORS header', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const reply = await plain.call('OPTIONS', '/api/groups', { headers });
    assertError(reply, { status: 403 });
    assertNoCors(reply);
  });

  test('of a foreign page store nothing', async () => {
    const origin = 'https://evil.example';
    await plain.call('POST', '/api/groups', { headers: { origin }, body: { name: 'planted' } });
    assert.doesNotMatch((await plain.call('GET', '/api/groups')).text, /planted/);
  });
});

describe('web.origins', () => {
  for (const via of ways) {
    test(`lets a listed page read replies over ${via}, with CORS headers`, async () => {
      for (const origin of [allowedOrigin, 'http://[2001:db8::1]:8080']) {
        const headers = { origin, 'sec-fetch-site': 'cross-site' };
        const reply = await opened.call('GET', '/api/groups', { via, headers });
        assert.equal(reply.status, 200);
        assert.equal(reply.headers['access-control-allow-origin'], origin);
        assert.match(String(reply.headers['vary']), /\bOrigin\b/i);
        assert.equal(reply.headers['access-control-allow-credentials'], undefined);
      }
    });

    test(`lets a listed page read errors over ${via}`, async () => {
      for (const [method, path, status] of [
        ['GET', '/api/none', 404],
        ['POST', '/api/groups', 400],
        ['PUT', '/api/health', 405],
      ] as const) {
        const reply = await opened.call(method, path, { via, headers: { origin: allowedOrigin } });
        assertError(reply, { status });
        assert.equal(reply.headers['access-control-allow-origin'], allowedOrigin, `${method} ${path}`);
      }
    });

    test(`answers a preflight of a listed page with 204 over ${via}`, async () => {
      const headers = {
        origin: allowedOrigin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
        'sec-fetch-site': 'cross-site',
      };
      const reply = await opened.call('OPTIONS', '/api/groups/x', { via, headers });
      assert.deepEqual([reply.status, reply.text], [204, '']);
      assert.equal(reply.headers['access-control-allow-origin'], allowedOrigin);
      assert.match(String(reply.headers['access-control-allow-methods']), /\bPUT\b/);
      assert.match(String(reply.headers['access-control-allow-headers']), /\bcontent-type\b/i);
      assert.ok(Number(reply.headers['access-control-max-age']) > 0);
    });

    test(`refuses other pages over ${via}`, async () => {
      for (const origin of ['https://evil.example', 'http://dashboard.example.org', `${allowedOrigin}:444`]) {
        const reply = await opened.call('GET', '/api/groups', { via, headers: { origin } });
        assertError(reply, { status: 403 });
        assertNoCors(reply);
      }
      const sameHost = { host: 'localhost', origin: 'http://localhost' };
      assertNoCors(await opened.call('GET', '/api/groups', { via, headers: sameHost }));
      assertNoCors(await opened.call('GET', '/api/groups', { via }));
    });
  }

  test('and web.hosts are in force when the reply to their change arrives', async () => {
    const origin = 'https://late.example.org';
    const ask = () => plain.call('GET', '/api/health', { headers: { host: 'late.example.org', origin } });
    assertError(await ask(), { status: 421 });
    const config = { web: { hosts: ['late.example.org'], origins: [origin] } };
    assert.equal((await plain.call('PATCH', '/api/config', { body: { config } })).status, 200);
    assert.equal((await ask()).status, 200);
    const none = { web: { hosts: [], origins: [] } };
    assert.equal((await plain.call('PATCH', '/api/config', { body: { config: none } })).status, 200);
    assertError(await ask(), { status: 421 });
  });
});

function assertNoCors(reply: Reply): void {
  const found = Object.keys(reply.headers).filter((name) => name.startsWith('access-control-'));
  assert.deepEqual(found, []);
}
