// The package that users install: the packed bundle without the sources, beside koffi and Node only. It must
// do everything that the checkout does. These tests cover each thing that a bundler could break: the entry
// files of threads, modules that are loaded on demand or by the web framework, and files that are read beside
// the code.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';

import { boot, loopbackEnvironment } from './running/boot.ts';
import { installBuiltPackage, startedBy } from './running/built.ts';
import { runCommand } from './running/program.ts';
import { assertEnvelope, assertError, at, listAt } from './running/reply.ts';
import { temporaryFolder } from './running/folder.ts';
import { until, within } from './running/waiting.ts';

const { folder, command } = await installBuiltPackage();
const manifest: { version: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
/** Without the tester's Node: the package must run with the Node that comes with it. */
const env = { PATH: '/usr/bin:/bin' };
const service = await boot({ ...startedBy(command), env });
after(() => service.kill());

const dayMs = 24 * 60 * 60 * 1_000;

describe('the package', () => {
  const files = globSync('**/*', { cwd: folder });

  test('contains what a user needs', () => {
    const wanted = [
      'bin/sluice',
      'dist/main.js',
      'dist/api-entry.js',
      'dist/database-maintenance-entry.js',
      'dist/licences.txt',
    ];
    const beside = ['README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'docs/settings.md'];
    assert.deepEqual(
      [...wanted, ...beside].filter((path) => !files.includes(path)),
      [],
    );
  });

  test('contains no sources, tests or tools', () => {
    assert.deepEqual(
      files.filter((path) => /\.ts$|^(?:src|test|tools|bench|node_modules)\b/.test(path)),
      [],
    );
  });

  test('has no import statement for node:http, which would load undici', () => {
    const code = files.filter((path) => /^dist\/[^/]+\.js$/.test(path));
    assert.ok(code.length > 0);
    const importing = code.filter((path) =>
      /^import .*["']node:http["']/m.test(readFileSync(join(folder, path), 'utf8')),
    );
    assert.deepEqual(importing, []);
  });

  test('names the licence of each package in the bundle', () => {
    const licences = readFileSync(join(folder, 'dist', 'licences.txt'), 'utf8');
    for (const name of ['fastify', 'typebox', 'kysely', '@peculiar/x509', 'swagger-ui-dist']) {
      assert.match(licences, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    }
  });
});

describe('the service of the package', () => {
  for (const via of ['http', 'https', 'h2', 'control'] as const) {
    test(`answers over ${via}`, async () => {
      const health = await service.call('GET', '/api/health', { via });
      assert.deepEqual([health.status, at(health.body, 'status')], [200, 'ok']);
      const body = { name: `by ${via}` };
      const headers = { 'content-type': 'application/json' };
      const created = await service.call('POST', '/api/groups', { via, headers, body });
      assert.equal(created.status, 201, created.text);
      const groups = await service.call('GET', '/api/groups', { via });
      assert.ok(listAt(groups.body, 'groups').some((group) => at(group, 'name') === `by ${via}`));
      assertEnvelope(groups);
    });
  }

  test('refuses bad requests as the sources do', async () => {
    assertError(await service.call('GET', '/api/none'), { status: 404, key: 'not_found' });
    assertError(await service.call('PUT', '/api/health'), { status: 405 });
    assertError(await service.call('POST', '/api/groups', { body: { name: 5 } }), { status: 400 });
    assertError(await service.call('GET', '/api/%zz'), { status: 400 });
    assertError(await service.call('POST', '/api/groups', { body: 'x'.repeat(2 ** 21) }), { status: 413 });
  });

  test('changes settings', async () => {
    const reply = await service.call('PATCH', '/api/config', { body: { config: { dns: { blockTTL: 7 } } } });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(at(reply.body, 'config', 'dns', 'blockTTL'), 7);
  });

  test('serves the documentation page and all files that it loads', async () => {
    const page = await service.call('GET', '/api/docs');
    assert.equal(page.status, 200);
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '');
    assert.ok(links.length >= 4, page.text);
    for (const link of [...links, '/api/docs/openapi.json']) {
      const { status, text } = await service.call('GET', link);
      assert.deepEqual([status, text.length > 100], [200, true], link);
    }
    const document = await service.call('GET', '/api/docs/openapi.json');
    assert.equal(at(document.body, 'info', 'version'), manifest.version);
  });

  test('has the process name sluice', () => {
    assert.equal(readFileSync(`/proc/${service.pid}/comm`, 'utf8'), 'sluice\n');
  });

  test('loads its native library from the package', () => {
    const mapped = readFileSync(`/proc/${service.pid}/maps`, 'utf8');
    assert.match(mapped, new RegExp(`${folder.replace(/sluice$/, '')}.*koffi.*\\.node$`, 'm'));
  });

  test('replaces a killed thread', async () => {
    service.signal('SIGUSR2');
    await until('The thread runs again', async () => {
      const reply = await service.call('GET', '/api/status', { via: 'control' }).catch(() => undefined);
      const thread = at(reply?.body, 'status', 'threads', 0);
      return at(thread, 'restarts') === 1 && at(thread, 'state') === 'running' ? true : undefined;
    });
    assert.equal((await service.call('GET', '/api/health')).status, 200);
  });

  test('checks and copies the database in the maintenance thread', async () => {
    // Tomorrow's date: the service itself makes today's copy, 20 s after its start.
    const data = { dataDir: service.dir, nowMs: Date.now() + dayMs };
    const worker = new Worker(join(folder, 'dist', 'database-maintenance-entry.js'), { workerData: data });
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    worker.on('message', resolve).on('error', reject);
    const result = await within('the maintenance thread has ended', 60_000, promise);
    assert.deepEqual(result, { state: 'good', copied: true });
  });
});

describe('the commands of the package', () => {
  const options = { ...startedBy(command), dir: service.dir, env };

  test('sluice --version prints the version', async () => {
    assert.deepEqual(await runCommand(['--version'], options), {
      code: 0,
      out: `${manifest.version}\n`,
      err: '',
    });
  });

  test('sluice status reports the running service', async () => {
    const { code, out } = await runCommand(['status'], options);
    assert.deepEqual([code, out.includes(`Sluice ${manifest.version} is running`)], [0, true], out);
  });

  test('sluice config check works without a service', async () => {
    const dir = temporaryFolder();
    const { code, err } = await runCommand(['config', 'check'], {
      ...startedBy(command),
      dir,
      env: { ...env, ...loopbackEnvironment },
    });
    assert.deepEqual([code, err], [0, '']);
  });
});

test('SIGTERM ends the service of the package without a fault', async () => {
  await service.stop();
  assert.deepEqual(await service.ended, { code: 0, signal: null });
});
