// HTTPS as clients see it: accepted versions and protocols, the names and the issuer of the certificate, and
// certificates of users, which are loaded without a restart. openssl makes the test certificates, so that the
// service does not verify its own work.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { chmodSync, copyFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

import { boot, bootFor, type Service } from './running/boot.ts';
import { temporaryFolder } from './running/folder.ts';
import { sendRaw } from './running/raw.ts';
import { assertError, at } from './running/reply.ts';
import { until, within } from './running/waiting.ts';

const env = { SLUICE_WEB_HTTPS: '127.0.0.1:0,[::1]:0' };
let service = await boot({ env, certificate: 'own' });
after(() => service.stop());

/** The service checks the files every 5 s. */
const maxReloadMs = 60_000;

describe('versions and protocols', () => {
  // This client offers what OpenSSL refuses by default, so that the refusal is the service's.
  const weak = { ciphers: 'DEFAULT:@SECLEVEL=0' };
  const versions: readonly (readonly [
    version: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3',
    isSpoken: boolean,
  ])[] = [
    ['TLSv1', false],
    ['TLSv1.1', false],
    ['TLSv1.2', true],
    ['TLSv1.3', true],
  ];
  for (const [version, isSpoken] of versions) {
    test(`a handshake with ${version} is ${isSpoken ? 'accepted' : 'refused'}`, async () => {
      const options = { minVersion: version, maxVersion: version, ...(isSpoken ? {} : weak) };
      if (!isSpoken) {
        await assert.rejects(handshake(service, options), /protocol version|alert|unsupported|ECONNRESET/i);
        return;
      }
      const socket = await handshake(service, options);
      assert.equal(socket.getProtocol(), version);
      socket.destroy();
    });
  }

  const protocols: readonly (readonly [offered: readonly string[], chosen: string | false])[] = [
    [['h2'], 'h2'],
    [['http/1.1'], 'http/1.1'],
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1', 'h2'], 'h2'],
    [[], false],
  ];
  for (const [offered, chosen] of protocols) {
    test(`a handshake that offers ALPN ${JSON.stringify(offered)} selects ${String(chosen)}`, async () => {
      const socket = await handshake(service, { ALPNProtocols: [...offered] });
      assert.equal(socket.alpnProtocol, chosen);
      socket.destroy();
    });
  }

  test('a handshake that offers an unknown protocol is refused', async () => {
    await assert.rejects(handshake(service, { ALPNProtocols: ['gopher'] }));
  });

  test('a handshake with weak ciphers is refused', async () => {
    const ciphers = 'NULL:aNULL:RC4:3DES:@SECLEVEL=0';
    await assert.rejects(handshake(service, { maxVersion: 'TLSv1.2', ciphers }));
  });
});

describe('the self-issued certificate', () => {
  for (const name of ['localhost', '127.0.0.1', '::1']) {
    test(`is valid for ${name}`, async () => {
      const isAddress = name !== 'localhost';
      const socket = await handshake(service, { host: name, ...(isAddress ? {} : { servername: name }) });
      assert.ok(socket.authorized);
      socket.destroy();
    });
  }

  test('is not valid for other names', async () => {
    await assert.rejects(handshake(service, { servername: 'evil.example' }), /altnames|does not match/i);
  });

  test('has a self-signed CA, which is in the data folder', () => {
    const authority = new X509Certificate(readFileSync(join(service.dir, 'tls', 'ca.crt')));
    assert.ok(authority.ca && authority.checkIssued(authority) && authority.verify(authority.publicKey));
  });

  test('is verified by openssl', () => {
    const out = execFileSync(
      'openssl',
      [
        's_client',
        '-connect',
        `127.0.0.1:${service.httpsPort}`,
        '-CAfile',
        join(service.dir, 'tls', 'ca.crt'),
      ].concat(['-verify_return_error', '-verify_hostname', 'localhost', '-brief']),
      { input: '', encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], timeout: 60_000 },
    );
    assert.doesNotMatch(out, /error/i);
  });

  test('is in the status, and only the user of the service may read its key', async () => {
    const { body } = await service.call('GET', '/api/status');
    assert.equal(at(body, 'status', 'certificate', 'source'), 'own');
    const socket = await handshake(service, {});
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    assert.equal(at(body, 'status', 'certificate', 'fingerprint'), fingerprint256);
    const [folder, out] = [join(service.dir, 'tls'), execFileSync('ls', [join(service.dir, 'tls')])];
    const keys = String(out)
      .split('\n')
      .filter((name) => name.endsWith('.key'));
    assert.ok(keys.length >= 2, String(out));
    for (const key of keys) assert.equal(statSync(join(folder, key)).mode & 0o077, 0, key);
  });
});

describe("a user's certificate", { concurrency: true }, () => {
  test('is served, and read again when its files change', async (t) => {
    const dir = temporaryFolder();
    const [certFile, keyFile] = [join(dir, 'user.crt'), join(dir, 'user.key')];
    const [first, second, broken] = [issuePair(dir, 'one'), issuePair(dir, 'two'), issuePair(dir, 'three')];
    place(first, certFile, keyFile);
    const user = await bootFor(t, {
      dir,
      env: { SLUICE_WEB_CERT_FILE: certFile, SLUICE_WEB_KEY_FILE: keyFile },
    });
    const open = await handshake(user, { ca: readFileSync(first.cert) });
    assert.equal(open.getPeerCertificate().subject.CN, 'one');
    const before = await user.call('GET', '/api/status', { via: 'control' });
    assert.equal(at(before.body, 'status', 'certificate', 'source'), 'user');

    place(second, certFile, keyFile);
    await until('The second certificate is served', () => servedName(user, 'two'), maxReloadMs);
    assert.ok(!open.destroyed, 'The connection with the old certificate was closed.');
    open.destroy();

    // A certificate that does not fit its key is not used, and the log says so.
    copyFileSync(broken.cert, certFile);
    await until(
      'The log names the certificate',
      () => /user\.crt/.exec(user.log()) ?? undefined,
      maxReloadMs,
    );
    assert.equal(await servedName(user, 'two'), 'two');
    const health = await user.call('GET', '/api/health');
    assert.equal(health.status, 200);
    place(broken, certFile, keyFile);
    await until('The third certificate is served', () => servedName(user, 'three'), maxReloadMs);
  });

  test('set at runtime is served, and the self-issued one again when it is removed', async () => {
    const pair = issuePair(temporaryFolder(), 'set');
    const set = (certFile: string, keyFile: string) =>
      service.call('PATCH', '/api/config', {
        body: { config: { web: { certFile, keyFile } } },
        via: 'control',
      });
    assert.equal((await set(pair.cert, pair.key)).status, 200);
    await until('The certificate is served', () => servedName(service, 'set'), maxReloadMs);
    assert.equal((await set('', '')).status, 200);
    await until(
      'The self-issued certificate is served again',
      async () => {
        const socket = await handshake(service, {}).catch(() => undefined);
        socket?.destroy();
        return socket?.authorized === true ? true : undefined;
      },
      maxReloadMs,
    );
  });

  test('that cannot be read is reported, and plain HTTP still works', async (t) => {
    const dir = temporaryFolder();
    const missing = {
      SLUICE_WEB_CERT_FILE: join(dir, 'none.crt'),
      SLUICE_WEB_KEY_FILE: join(dir, 'none.key'),
    };
    const user = await bootFor(t, { dir, env: missing });
    assert.equal((await user.call('GET', '/api/health')).status, 200);
    await user.logged(/none\.crt/);
  });
});

describe('plain HTTP on the HTTPS port', () => {
  const ask = async (...lines: readonly string[]) => {
    const sent = [...lines, '', ''].join('\r\n');
    const toHttps = { ...service, httpPort: service.httpsPort };
    const { replies, isClosed } = await sendRaw(toHttps, [sent]);
    assert.ok(isClosed && replies.length === 1);
    return replies[0] ?? assert.fail();
  };

  test('is redirected to the same address over HTTPS for GET', async () => {
    const reply = await ask('GET /api/docs?x=1 HTTP/1.1', `Host: localhost:${service.httpsPort}`);
    const location = `https://localhost:${service.httpsPort}/api/docs?x=1`;
    assert.deepEqual([reply.status, reply.headers['location']], [308, location]);
  });

  test('gets a readable 400 for other methods and without Host', async () => {
    const message = 'Plain HTTP was sent to the HTTPS port';
    const wanted = { status: 400, key: 'bad_request', message, hint: /https:\/\// };
    assertError(await ask('POST /api/auth HTTP/1.1', 'Host: localhost', 'Content-Length: 0'), wanted);
    assertError(await ask('GET / HTTP/1.0'), wanted);
  });

  test('that is not HTTP at all gets 400, and TLS still works', async () => {
    assertError(await ask('what is this'), { status: 400 });
    const socket = await handshake(service, {});
    assert.ok(socket.authorized);
    socket.destroy();
  });
});

describe('web.redirect', { concurrency: 1 }, () => {
  const set = (redirect: boolean) =>
    service.call('PATCH', '/api/config', { body: { config: { web: { redirect } } }, via: 'control' });

  test('redirects HTTP to HTTPS with 308 and keeps path and query', async () => {
    assert.equal((await service.call('GET', '/api/groups')).status, 200);
    assert.equal((await set(true)).status, 200);
    const { httpPort, httpsPort } = service;
    const table: readonly (readonly [host: string, path: string, location: string])[] = [
      ['localhost', '/api/groups?a=1&b=%20', `https://localhost:${httpsPort}/api/groups?a=1&b=%20`],
      [`127.0.0.1:${httpPort}`, '/', `https://127.0.0.1:${httpsPort}/`],
      ['[::1]:80', '/api/docs', `https://[::1]:${httpsPort}/api/docs`],
      ['sluice.lan', '/none%2f..', `https://sluice.lan:${httpsPort}/none%2f..`],
    ];
    for (const [host, path, location] of table) {
      for (const method of ['GET', 'POST']) {
        const body = method === 'POST' ? { body: { name: 'x' } } : {};
        const reply = await service.call(method, path, { headers: { host }, ...body });
        assert.deepEqual([reply.status, reply.headers['location']], [308, location]);
      }
    }
  });

  test('does not apply to /api/health, HTTPS and the control socket, nor to a foreign host', async () => {
    for (const path of ['/api/health', '/api/health/', '/api/health?probe']) {
      assert.equal((await service.call('GET', path)).status, 200, path);
    }
    for (const via of ['https', 'h2', 'control'] as const)
      assert.equal((await service.call('GET', '/api/groups', { via })).status, 200, via);
    assertError(await service.call('GET', '/', { headers: { host: 'evil.example' } }), { status: 421 });
  });

  test('serves plain HTTP after it is switched off', async () => {
    await set(false);
    assert.equal((await service.call('GET', '/api/groups')).status, 200);
  });

  test('has no effect without HTTPS', async (t) => {
    const without = await bootFor(t, { env: { SLUICE_WEB_REDIRECT: 'true', SLUICE_WEB_HTTPS: '' } });
    assert.equal((await without.call('GET', '/api/groups')).status, 200);
  });
});

test('the self-issued certificate stays the same over a restart', async () => {
  const fingerprint = async (): Promise<string> => {
    const socket = await handshake(service, {});
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };
  const before = await fingerprint();
  const { dir } = service;
  await service.stop();
  service = await boot({ dir, env });
  assert.equal(await fingerprint(), before);
});

function handshake(to: Service, options: ConnectionOptions): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const port = options.host === '::1' ? portOnIpv6() : to.httpsPort;
  const servername = options.host === undefined || options.host === 'localhost' ? 'localhost' : '';
  const where = options.host === 'localhost' ? '127.0.0.1' : (options.host ?? '127.0.0.1');
  const trusted = to.ca === undefined ? {} : { ca: to.ca };
  const socket = connect({ servername, ...trusted, ...options, host: where, port });
  socket.once('secureConnect', () => resolve(socket)).once('error', reject);
  return within('TLS', 30_000, promise);
}

const status = await service.call('GET', '/api/status', { via: 'control' });
function portOnIpv6(): number {
  const listeners: unknown = at(status.body, 'status', 'listeners');
  assert.ok(Array.isArray(listeners));
  const row: unknown = listeners.find((listener: unknown) => at(listener, 'address') === '::1');
  return Number(at(row, 'port'));
}

type Pair = { readonly cert: string; readonly key: string };

function issuePair(dir: string, name: string): Pair {
  const pair = { cert: join(dir, `${name}.pem`), key: join(dir, `${name}.pem.key`) };
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
      .concat(['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'])
      .concat(['-keyout', pair.key, '-out', pair.cert]),
    { stdio: 'ignore' },
  );
  return pair;
}

/** Writes a new file and renames it into place, as certificate tools do. */
function place({ cert, key }: Pair, certFile: string, keyFile: string): void {
  for (const [from, to] of [
    [key, keyFile],
    [cert, certFile],
  ] as const) {
    writeFileSync(`${to}.new`, readFileSync(from));
    chmodSync(`${to}.new`, 0o600);
    renameSync(`${to}.new`, to);
  }
}

/** The name if its certificate is served now. */
async function servedName(from: Service, wanted: string): Promise<string | undefined> {
  const socket = await handshake(from, { rejectUnauthorized: false });
  const name = socket.getPeerCertificate().subject.CN;
  socket.destroy();
  return name === wanted ? wanted : undefined;
}
