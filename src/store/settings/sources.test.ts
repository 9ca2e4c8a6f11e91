import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSources } from './sources.ts';

const fromEnvironment = (env: Record<string, string>) => readSources(env, {});
const valueOf = (env: Record<string, string>, path: string) => fromEnvironment(env).pinned.get(path)?.value;

describe('settings from the environment', () => {
  const cases: readonly (readonly [variable: string, text: string, path: string, value: unknown])[] = [
    ['SLUICE_WEB_HTTP', '', 'web.http', ''],
    ['SLUICE_WEB_HTTP', '127.0.0.1:80', 'web.http', '127.0.0.1:80'],
    ['SLUICE_WEB_REDIRECT', 'true', 'web.redirect', true],
    ['SLUICE_WEB_REDIRECT', '0', 'web.redirect', false],
    ['SLUICE_WEB_REDIRECT', 'FALSE', 'web.redirect', false],
    ['SLUICE_AUTH_VALIDITY_SECONDS', '120', 'auth.validitySeconds', 120],
    ['SLUICE_WEB_HOSTS', '', 'web.hosts', []],
    ['SLUICE_WEB_HOSTS', 'a.example, b.example', 'web.hosts', ['a.example', 'b.example']],
    ['SLUICE_WEB_HOSTS', '["a.example"]', 'web.hosts', ['a.example']],
    ['SLUICE_DNS_BLOCKING_MODE', 'nodata', 'dns.blocking.mode', 'NODATA'],
    ['SLUICE_AUTH_PASSWORD', '', 'auth.password', ''],
  ];
  for (const [variable, text, path, value] of cases) {
    it(`${variable}=${text}`, () => assert.deepEqual(valueOf({ [variable]: text }, path), value));
  }

  const wrong: readonly (readonly [variable: string, text: string, message: RegExp])[] = [
    ['SLUICE_WEB_REDIRECT', 'yes', /SLUICE_WEB_REDIRECT=yes: not of type bool\. Allowed: true or false\./],
    ['SLUICE_AUTH_VALIDITY_SECONDS', '1e3', /not of type integer\. Allowed: a whole number from 60 to/],
    ['SLUICE_WEB_HOSTS', '[broken', /not of type array/],
    ['SLUICE_WEB_HTTP', '80', /SLUICE_WEB_HTTP=80: .*port.*Allowed: address:port/],
  ];
  for (const [variable, text, message] of wrong) {
    it(`${variable}=${text} is refused with key, value and what is allowed`, () => {
      const { problems, pinned } = fromEnvironment({ [variable]: text });
      assert.equal(pinned.size, 0);
      assert.match(problems.join('\n'), message);
    });
  }

  it('with an unknown name cause a warning that suggests the nearest setting', () => {
    const { warnings, problems } = fromEnvironment({ SLUICE_WEB_HTP: 'x', OTHER: 'y', SLUICE_CONFIG: 'z' });
    assert.deepEqual(problems, []);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /SLUICE_WEB_HTP is not a setting.*Did you mean SLUICE_WEB_HTTP\?/);
  });

  it('never appear in a message when they are secret', () => {
    const { problems } = fromEnvironment({ SLUICE_AUTH_PASSWORD: 'x'.repeat(5000) });
    assert.equal(problems.length, 1);
    assert.ok(!problems.join('').includes('xxx'));
  });
});

describe('settings from the file', () => {
  it('are read from nested tables', () => {
    const { pinned, problems } = readSources({}, { web: { http: '' }, dns: { blocking: { mode: 'NX' } } });
    assert.deepEqual(problems, []);
    assert.deepEqual(pinned.get('web.http'), { value: '', source: 'file' });
    assert.deepEqual(pinned.get('dns.blocking.mode'), { value: 'NX', source: 'file' });
  });

  const wrong: readonly (readonly [file: Record<string, unknown>, message: RegExp])[] = [
    [{ web: { htp: '' } }, /web\.htp is not a setting\. Did you mean web\.http\?/],
    [{ webb: { http: '' } }, /webb is not a setting/],
    [{ web: 5 }, /web is not a setting/],
    [{ web: { http: { port: 80 } } }, /web\.http = \{"port":80\}: not of type string/],
    [
      { dns: { workers: 65 } },
      /dns\.workers = 65: not within valid range\. Allowed: a whole number from 0 to 64/,
    ],
    [{ dns: { upstreams: ['9.9.9.9', 'not an upstream'] } }, /\[1\]: not an upstream/],
  ];
  for (const [file, message] of wrong) {
    it(JSON.stringify(file), () => {
      const { problems } = readSources({}, file);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? '', message);
    });
  }

  it('are overridden by the environment', () => {
    const { pinned } = readSources({ SLUICE_WEB_HTTP: '1.2.3.4:80' }, { web: { http: '' } });
    assert.deepEqual(pinned.get('web.http'), { value: '1.2.3.4:80', source: 'environment' });
  });
});
