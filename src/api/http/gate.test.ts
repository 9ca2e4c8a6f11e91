import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { Settings } from '#contract';
import { createGate, type Phase } from './gate.ts';

const web: Settings['web'] = {
  http: '',
  https: '',
  redirect: false,
  basePath: '',
  certFile: '',
  keyFile: '',
  trustedProxies: [],
  hosts: [],
  origins: [],
};
function gateWith(changed: Partial<Settings['web']>, phase: Phase = 'open') {
  return createGate({
    web: { ...web, ...changed },
    ownNames: [],
    ownDomains: [],
    phase: () => phase,
    httpsPort: () => 8443,
  });
}

function requestFor(url: string, headers: Record<string, string> = {}): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.url = url;
  request.headers = { host: 'localhost:8080', ...headers };
  request.httpVersionMajor = 1;
  return request;
}

describe('the base path', () => {
  const cases = [
    ['/sluice', '/sluice/api/groups?x=1', '/api/groups?x=1'],
    ['/sluice', '/sluice', '/'],
    ['/sluice', '/sluice?x', '?x'],
    ['/sluice', '/sluicegate/api', '/sluicegate/api'],
    ['/sluice', '/api', '/api'],
    ['', '/api', '/api'],
  ] as const;
  for (const [basePath, url, expected] of cases) {
    it(`${basePath || '(none)'} turns ${url} into ${expected}`, () =>
      assert.equal(gateWith({ basePath }).withoutBasePath(url), expected));
  }
});

describe('a location', () => {
  const cases = [
    ['/sluice', '/api/groups/a', '/sluice/api/groups/a'],
    ['', '/api/groups/a', '/api/groups/a'],
    ['/sluice', 'https://sluice.lan/api', 'https://sluice.lan/api'],
  ] as const;
  for (const [basePath, location, expected] of cases) {
    it(`${location} is ${expected} below ${basePath || '(none)'}`, () =>
      assert.equal(gateWith({ basePath }).withBasePath(location), expected));
  }
});

describe('trusted proxies', () => {
  const gate = gateWith({ trustedProxies: ['10.0.0.0/8', '192.0.2.7', 'fd00::/64'] });
  const cases: readonly (readonly [address: string, trusted: boolean])[] = [
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['11.0.0.1', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['fd00::5', true],
    ['fd01::5', false],
    ['', false],
    ['nonsense', false],
  ];
  for (const [address, trusted] of cases) {
    it(`${trusted ? 'contain' : 'do not contain'} ${JSON.stringify(address)}`, () =>
      assert.equal(gate.isTrustedProxy(address), trusted));
  }
});

describe('admit', () => {
  it('refuses all requests while draining, also those of the command line', () => {
    const refused = gateWith({}, 'stopping').admit(requestFor('/'), true);
    assert.ok(refused && 'failure' in refused && refused.failure === 'unavailable');
  });

  it('accepts any Host header on the control socket', () => {
    assert.equal(gateWith({}).admit(requestFor('/', { host: 'evil.example' }), true), undefined);
  });

  it('redirects plain HTTP to the same path over HTTPS, except for /api/health', () => {
    const gate = gateWith({ redirect: true, basePath: '/base' });
    const outcome = gate.admit(requestFor('/api/groups?x=1'), false);
    assert.ok(outcome && 'status' in outcome);
    assert.equal(outcome.status, 308);
    assert.equal(outcome.headers?.['location'], 'https://localhost:8443/base/api/groups?x=1');
    assert.equal(gate.admit(requestFor('/api/health'), false), undefined);
  });

  it('accepts a request without Host only for /api/health', () => {
    const withoutHost = (url: string, changed: Partial<Settings['web']> = {}) => {
      const request = requestFor(url);
      delete request.headers.host;
      return gateWith(changed).admit(request, false);
    };
    for (const url of ['/api/health', '/api/health/', '/api/health?x'])
      assert.equal(withoutHost(url), undefined);
    assert.equal(withoutHost('/api/health', { redirect: true }), undefined);
    for (const url of ['/', '/api/groups', '/api/healthy', '/api/health/x']) {
      const refused = withoutHost(url);
      assert.ok(refused && 'failure' in refused && refused.failure === 'invalidRequest', url);
    }
  });

  it('allows only configured origins', () => {
    const gate = gateWith({ origins: ['https://a.example'] });
    assert.equal(gate.allowedOrigin('https://a.example'), 'https://a.example');
    assert.equal(gate.allowedOrigin('https://b.example'), undefined);
    assert.equal(gate.allowedOrigin(undefined), undefined);
  });
});

describe('decoded', () => {
  it('decodes the path and drops the query', () =>
    assert.equal(gateWith({}).decoded('/a%20b?c=%ff'), '/a b'));
  it('is undefined for invalid escapes', () => assert.equal(gateWith({}).decoded('/%ff'), undefined));
});
