// What clients read about the program and about their own request: versions in the format that existing
// clients read, the data for a login page, and how a request arrived, without its credentials.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';

import { root } from '../running/program.ts';
import { assertError, at, listAt } from '../running/reply.ts';
import { cheap } from './support/cheap-password.ts';
import { openClient } from './support/client.ts';
import { bootWithPassword, bySid, openSession } from './support/session.ts';

const proxy = '127.0.0.9';
const service = await bootWithPassword({ env: { ...cheap, SLUICE_WEB_TRUSTED_PROXIES: proxy } });
after(() => service.stop());
const client = openClient(service);
const session = await openSession(client);

test('GET /api/info/version has the version as core, web and ftl, and null as remote', async () => {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { body } = await client.send('GET', '/api/info/version', { headers: bySid(session) });
  for (const part of ['core', 'web', 'ftl']) {
    const version = String(at(body, 'version', part, 'local', 'version'));
    assert.equal(version, `v${String(at(manifest, 'version'))}`);
    assert.deepEqual(at(body, 'version', part, 'remote'), { version: null, hash: null });
  }
  assertError(await client.send('GET', '/api/info/version'), { status: 401 });
});

test('GET /api/info/login needs no session and has no port while HTTPS is off', async () => {
  const { status, body } = await client.send('GET', '/api/info/login');
  assert.deepEqual([status, at(body, 'dns'), at(body, 'https_port')], [200, false, 0]);
});

describe('/api/info/client', () => {
  test('needs no session and has address, protocol, method and headers', async () => {
    const headers = { 'user-agent': 'tester/1', 'X-Custom': 'Größe'.normalize('NFD').slice(0, 3) };
    const { status, body } = await openClient(service, { from: '127.0.0.5' }).send(
      'GET',
      '/api/info/client',
      { headers },
    );
    assert.equal(status, 200);
    assert.deepEqual(
      [at(body, 'remote_addr'), at(body, 'http_version'), at(body, 'method')],
      ['127.0.0.5', '1.1', 'GET'],
    );
    const found = listAt(body, 'headers').map((row) => [at(row, 'name'), at(row, 'value')]);
    assert.ok(found.some(([name, value]) => name === 'user-agent' && value === 'tester/1'));
  });

  test('has the client address that a trusted proxy sends, and ignores that of others', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    const believed = await openClient(service, { from: proxy }).send('GET', '/api/info/client', { headers });
    assert.equal(at(believed.body, 'remote_addr'), '203.0.113.9');
    const not = await client.send('GET', '/api/info/client', { headers });
    assert.equal(at(not.body, 'remote_addr'), '127.0.0.1');
  });

  const secret = 'do-not-show-me';
  const carriers = [
    'cookie',
    'authorization',
    'proxy-authorization',
    'X-SVC-SID',
    'X-FTL-SID',
    'sid',
    'X-SVC-CSRF',
    'X-FTL-CSRF',
    'X-CSRF-TOKEN',
  ];
  for (const name of carriers) {
    test(`does not show the header ${name}`, async () => {
      const reply = await client.send('GET', '/api/info/client', { headers: { [name]: `sid=${secret}` } });
      assert.equal(reply.status, 200);
      assert.ok(!reply.text.includes(secret), reply.text);
    });
  }
});
