import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explanation } from './plain-on-tls.ts';

describe('a plain request on the HTTPS port', () => {
  const redirected = [
    ['GET', 'sluice.lan:8443', '/api/docs?x=1', 'https://sluice.lan:8443/api/docs?x=1'],
    ['HEAD', '[::1]', '/', 'https://[::1]/'],
  ] as const;
  for (const [method, host, url, location] of redirected) {
    it(`${method} ${url} with Host ${host} is redirected to ${location}`, () =>
      assert.deepEqual(explanation({ method, url, headers: { host } }), {
        status: 308,
        headers: { location },
      }));
  }

  const refused = [
    ['a POST', 'POST', 'sluice.lan', '/api/auth'],
    ['a request without Host', 'GET', undefined, '/'],
    ['a Host that is no name', 'GET', 'a/b', '/'],
    ['a whole URL', 'GET', 'sluice.lan', 'http://evil.example/'],
  ] as const;
  for (const [name, method, host, url] of refused) {
    it(`${name} gets 400 with what to use`, () => {
      const outcome = explanation({ method, url, headers: host === undefined ? {} : { host } });
      assert.ok('failure' in outcome && outcome.failure === 'plainOnTls');
      assert.match(JSON.stringify(outcome.hint), /https:\/\//);
    });
  }
});
