// The command line as a user or a script calls it: help, exit codes, messages that name the key, the value
// and what is allowed, and the source of each setting. A service runs only for the commands that need one.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { bootFor, loopbackEnvironment } from './running/boot.ts';
import { temporaryFolder } from './running/folder.ts';
import { openCommandLine } from './running/command-line.ts';
import { runCommand, type Environment } from './running/program.ts';
import { at } from './running/reply.ts';

const twoAtOnce = { concurrency: 2 };
const commandLine = openCommandLine();
/** A service without HTTPS starts faster. */
const plainOnly = { SLUICE_WEB_HTTPS: '' };

describe('help and usage', twoAtOnce, () => {
  const commands = [
    [],
    ['serve'],
    ['status'],
    ['password'],
    ['config'],
    ['config', 'check'],
    ['config', 'show'],
  ];
  for (const command of commands) {
    test(`sluice ${[...command, '--help'].join(' ')} prints usage and exit codes`, async () => {
      const { code, out, err } = await commandLine.run(temporaryFolder(), ...command, '--help');
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /^Usage: sluice/);
      assert.match(out, /Exit codes: 0 /);
    });
  }

  test('sluice --version prints the version', async () => {
    const { code, out } = await runCommand(['--version'], { dir: temporaryFolder() });
    assert.equal(code, 0);
    assert.match(out, /^\d+\.\d+\.\d+\n$/);
  });

  for (const args of [['dance'], ['--dance'], ['status', '--dance'], ['config', 'dance'], ['--config']]) {
    test(`sluice ${args.join(' ')} ends with exit code 2 and names --help`, async () => {
      const { code, err } = await commandLine.run(temporaryFolder(), ...args);
      assert.equal(code, 2, err);
      assert.match(err, /--help/);
    });
  }
});

describe('sluice status', twoAtOnce, () => {
  test('prints the state of a service as text and JSON, and after kill -9 ends with code 3', async (t) => {
    const service = await bootFor(t);
    const people = await runCommand(['status'], { dir: service.dir });
    assert.deepEqual([people.code, people.err], [0, '']);
    for (const part of [`process ${service.pid}`, service.dir, service.http, service.https, 'api: running'])
      assert.ok(people.out.includes(part), `${part} is not in ${people.out}`);
    const scripts = await runCommand(['status', '--json'], { dir: service.dir });
    assert.deepEqual([scripts.code, scripts.err], [0, '']);
    const status: unknown = JSON.parse(scripts.out);
    assert.deepEqual([at(status, 'pid'), at(status, 'state')], [service.pid, 'running']);
    assert.equal(at(status, 'listeners', 0, 'port'), service.httpPort);
    await service.kill();
    const killed = await runCommand(['status'], { dir: service.dir });
    assert.equal(killed.code, 3, killed.err);
  });

  test('without a running service ends with exit code 3 and says what to do', async () => {
    const { code, err, out } = await runCommand(['status', '--json'], { dir: temporaryFolder() });
    assert.deepEqual([code, out], [3, '']);
    assert.match(err, /sluice serve/);
  });
});

describe('sluice password', twoAtOnce, () => {
  test('sets the password from standard input, and removes it', async (t) => {
    const service = await bootFor(t, { env: { ...plainOnly, SLUICE_AUTH_PASSWORD: undefined } });
    const overNetwork = async () => (await service.call('GET', '/api/groups')).status;
    assert.equal(await overNetwork(), 401);
    const removed = await runCommand(['password', '--remove'], { dir: service.dir });
    assert.deepEqual([removed.code, removed.err], [0, '']);
    assert.equal(await overNetwork(), 200);
    const set = await runCommand(['password'], { dir: service.dir, input: 'hunter22\nand more\n' });
    assert.deepEqual([set.code, set.err], [0, '']);
    assert.equal(await overNetwork(), 401);
    for (const input of ['', '\n']) {
      const empty = await runCommand(['password'], { dir: service.dir, input });
      assert.equal(empty.code, 1);
      assert.match(empty.err, /--remove/);
    }
    assert.equal(await overNetwork(), 401);
  });

  test('fails when the environment pins the password', async (t) => {
    const service = await bootFor(t, { env: { ...plainOnly, SLUICE_AUTH_PASSWORD: 'pinned' } });
    for (const args of [['password'], ['password', '--remove']]) {
      const { code, err } = await runCommand(args, { dir: service.dir, input: 'another\n' });
      assert.equal(code, 1);
      assert.match(err, /auth\.password.*environment|environment.*auth\.password/);
    }
    assert.equal((await service.call('GET', '/api/groups')).status, 401);
  });

  test('without a running service ends with exit code 3', async () => {
    assert.equal((await runCommand(['password'], { dir: temporaryFolder(), input: 'x\n' })).code, 3);
  });
});

describe('invalid settings', twoAtOnce, () => {
  type Row = readonly [name: string, file: string, env: Environment, ...parts: RegExp[]];
  const table: readonly Row[] = [
    ['a misspelt key', '[dns]\nblokTTL = 5\n', {}, /dns\.blokTTL/, /Did you mean dns\.blockTTL\?/],
    ['a misspelt section', '[webb]\nhttp = "*:80"\n', {}, /webb/],
    ['a section in place of a value', '[web.http]\nport = 80\n', {}, /web\.http/],
    ['an unknown choice', '[dns.blocking]\nmode = "LOUD"\n', {}, /dns\.blocking\.mode/, /LOUD/, /NULL, .*NX/],
    ['a number out of range', '[dns]\nblockTTL = -5\n', {}, /dns\.blockTTL/, /-5/, /from 0 to 86400/],
    ['a text in place of a number', '[dns]\nblockTTL = "5"\n', {}, /dns\.blockTTL/, /"5"/],
    ['an invalid address', '[web]\nhttp = "nowhere:80"\n', {}, /web\.http/, /nowhere:80/, /127\.0\.0\.1:80/],
    ['two addresses that overlap', '[web]\nhttp = "*:80,127.0.0.1:80"\n', {}, /web\.http/, /overlap/],
    ['an invalid item of a list', '[web]\norigins = ["dash"]\n', {}, /web\.origins/, /dash/],
    ['broken TOML', '[dns\nblockTTL = 5\n', {}, /sluice\.toml/, /line|1:/],
    ['a key twice', '[dns]\nblockTTL = 5\nblockTTL = 6\n', {}, /sluice\.toml/],
    [
      'an invalid number in the environment',
      '',
      { SLUICE_DNS_BLOCK_TTL: 'soon' },
      /SLUICE_DNS_BLOCK_TTL=soon/,
      /0 to/,
    ],
    ['an empty number in the environment', '', { SLUICE_DNS_BLOCK_TTL: '' }, /SLUICE_DNS_BLOCK_TTL/],
    [
      'an invalid flag in the environment',
      '',
      { SLUICE_WEB_REDIRECT: 'maybe' },
      /SLUICE_WEB_REDIRECT=maybe/,
      /true or/,
    ],
    ['an invalid list in the environment', '', { SLUICE_WEB_HOSTS: '["a",' }, /SLUICE_WEB_HOSTS/],
  ];
  for (const [name, file, env, ...parts] of table) {
    test(`${name}: sluice config check ends with exit code 4 and names the setting`, async () => {
      const dir = temporaryFolder();
      writeFileSync(join(dir, 'sluice.toml'), file);
      const checked = await commandLine.runWith(env, dir, 'config', 'check');
      assert.equal(checked.code, 4, checked.out + checked.err);
      for (const part of parts) assert.match(checked.err, part);
    });
  }

  test('sluice serve does not start with them and ends with exit code 4', async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, 'sluice.toml'), '[dns]\nblokTTL = 5\n');
    const env = { ...loopbackEnvironment, SLUICE_WEB_REDIRECT: 'maybe' };
    const { code, err } = await runCommand(['serve'], { dir, env });
    assert.equal(code, 4, err);
    for (const part of [/dns\.blokTTL/, /SLUICE_WEB_REDIRECT=maybe/, /not started/]) assert.match(err, part);
    assert.ok(!existsSync(join(dir, 'sluice.db')), 'The service has begun to start.');
  });

  test('sluice config check names all of them and prints no secret', async () => {
    const dir = temporaryFolder();
    writeFileSync(
      join(dir, 'sluice.toml'),
      '[auth]\npassword = 12345678\n[dns]\nblockTTL = -5\nhoosts = []\n',
    );
    const { code, err } = await commandLine.run(dir, 'config', 'check');
    assert.equal(code, 4);
    for (const part of [/auth\.password/, /dns\.blockTTL/, /Did you mean dns\.hosts\?/])
      assert.match(err, part);
    assert.doesNotMatch(err, /12345678/);
  });

  test('commands with a named settings file that does not exist end with exit code 4', async () => {
    const dir = temporaryFolder();
    const config = join(dir, 'none.toml');
    for (const args of [['--config', config], [`--config=${config}`]]) {
      const { code, err } = await runCommand([...args, 'config', 'check'], { dir });
      assert.equal(code, 4);
      assert.ok(err.includes(config), err);
    }
    const { code, err } = await runCommand(['serve'], { dir, env: { SLUICE_CONFIG: config } });
    assert.equal(code, 4);
    assert.ok(err.includes(config), err);
  });

  test('sluice serve with a data folder that cannot be created ends with exit code 1', async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, 'file'), '');
    const env = { ...loopbackEnvironment, SLUICE_STORAGE_DIR: join(dir, 'file', 'below') };
    const { code, err } = await runCommand(['serve'], { dir, env });
    assert.equal(code, 1, err);
    assert.ok(err.includes(join(dir, 'file')), err);
    assert.doesNotMatch(err, /\n {4}at /, 'a stack trace is not a message');
  });
});

describe('valid settings', twoAtOnce, () => {
  test('sluice config check says so', async () => {
    const { code, out, err } = await commandLine.run(temporaryFolder(), 'config', 'check');
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /The settings are valid/);
  });

  test('an unknown variable causes a warning that suggests the nearest name', async () => {
    const dir = temporaryFolder();
    const env = { SLUICE_DNS_BLOK_TTL: '5', SLUICE_SOMETHING: 'x' };
    const { code, err } = await commandLine.runWith(env, dir, 'config', 'check');
    assert.equal(code, 0);
    assert.match(err, /warning: .*SLUICE_DNS_BLOK_TTL.*Did you mean SLUICE_DNS_BLOCK_TTL\?/);
    assert.match(err, /warning: .*SLUICE_SOMETHING/);
  });

  test('the environment takes precedence over file, database and default', async (t) => {
    const dir = temporaryFolder();
    const toml = '[dns]\nblockTTL = 20\nblocking.mode = "nx"\n[web]\nhosts = ["file.example"]\n';
    writeFileSync(join(dir, 'sluice.toml'), toml);
    const env = {
      SLUICE_DNS_BLOCK_TTL: '30',
      SLUICE_WEB_ORIGINS: '["https://a.example","https://b.example"]',
    };
    const unknown = { ...plainOnly, SLUICE_DNS_BLOK_TTL: '5' };
    const service = await bootFor(t, { dir, env: { ...env, ...unknown } });
    await service.logged(/warn .*SLUICE_DNS_BLOK_TTL/);
    const body = { config: { dns: { rateLimit: { count: 7 }, blocking: { edns: 'CODE' } } } };
    assert.equal((await service.call('PATCH', '/api/config', { body })).status, 200);
    const wanted: readonly (readonly [string, unknown, string])[] = [
      ['dns.blockTTL', 30, 'environment'],
      ['web.origins', ['https://a.example', 'https://b.example'], 'environment'],
      ['dns.blocking.mode', 'NX', 'file'],
      ['web.hosts', ['file.example'], 'file'],
      ['dns.rateLimit.count', 7, 'database'],
      ['dns.blocking.edns', 'CODE', 'database'],
      ['dns.rateLimit.interval', 60, 'default'],
    ];
    const shown = await commandLine.runWith(env, dir, 'config', 'show', '--json');
    assert.equal(shown.code, 0, shown.err);
    const served = (await service.call('GET', '/api/config?detailed=true')).body;
    const table = await commandLine.runWith(env, dir, 'config', 'show');
    for (const [path, value, source] of wanted) {
      assert.deepEqual(at(JSON.parse(shown.out), path), { value, source }, path);
      const detail = at(served, 'config', ...path.split('.'));
      assert.deepEqual([at(detail, 'value'), at(detail, 'source')], [value, source], path);
      assert.match(table.out, new RegExp(`^${RegExp.escape(path)} +.* ${source}$`, 'm'));
    }
    for (const [path, section] of [
      ['dns.blockTTL', { dns: { blockTTL: 40 } }],
      ['web.hosts', { web: { hosts: [] } }],
    ] as const) {
      const reply = await service.call('PATCH', '/api/config', { body: { config: section } });
      assert.equal(reply.status, 400);
      assert.ok(String(at(reply.body, 'error', 'hint')).includes(path), reply.text);
    }
  });

  test('sluice config prints no secret', async () => {
    const dir = temporaryFolder();
    const env = { SLUICE_AUTH_PASSWORD: 'not to be printed' };
    for (const args of [
      ['config', 'show'],
      ['config', 'show', '--json'],
      ['config', 'check'],
    ]) {
      const { out, err } = await commandLine.runWith(env, dir, ...args);
      assert.doesNotMatch(out + err, /not to be printed/);
    }
  });

  test('the environment may have lists with commas, flags as 1 and 0, and empty values', async () => {
    const dir = temporaryFolder();
    const env = {
      SLUICE_WEB_HOSTS: 'a.example, b.example',
      SLUICE_WEB_REDIRECT: '1',
      SLUICE_AUTH_BIND_ADDRESS: '0',
      SLUICE_WEB_HTTP: '',
      SLUICE_WEB_ORIGINS: '',
      SLUICE_DNS_SPECIAL_DOMAINS_I_CLOUD_PRIVATE_RELAY: 'false',
    };
    const { out } = await commandLine.runWith(env, dir, 'config', 'show', '--json');
    const shown: unknown = JSON.parse(out);
    const pinned = (value: unknown) => ({ value, source: 'environment' });
    assert.deepEqual(at(shown, 'web.hosts'), pinned(['a.example', 'b.example']));
    assert.deepEqual(at(shown, 'web.redirect'), pinned(true));
    assert.deepEqual(at(shown, 'auth.bindAddress'), pinned(false));
    assert.deepEqual(at(shown, 'web.http'), pinned(''));
    assert.deepEqual(at(shown, 'web.origins'), pinned([]));
    assert.deepEqual(at(shown, 'dns.specialDomains.iCloudPrivateRelay'), pinned(false));
  });

  test('the data folder is the configured one, else that of systemd, else ./data', async () => {
    const dir = temporaryFolder();
    const table: readonly (readonly [Environment, string])[] = [
      [{ SLUICE_STORAGE_DIR: join(dir, 'named'), STATE_DIRECTORY: join(dir, 'state') }, join(dir, 'named')],
      [{ SLUICE_STORAGE_DIR: undefined, STATE_DIRECTORY: join(dir, 'state') }, join(dir, 'state')],
      [{ SLUICE_STORAGE_DIR: undefined }, join(dir, 'data')],
    ];
    for (const [env, wanted] of table) {
      const result = await commandLine.runWith(env, dir, 'config', 'show', '--json');
      assert.equal(at(JSON.parse(result.out), 'storage.dir', 'value'), wanted, result.err);
    }
  });

  test('sluice config check names a database that it cannot read', async () => {
    const dir = temporaryFolder();
    mkdirSync(join(dir, 'closed'));
    writeFileSync(join(dir, 'closed', 'sluice.db'), 'this is no database');
    chmodSync(join(dir, 'closed'), 0o755);
    const env = { SLUICE_STORAGE_DIR: join(dir, 'closed') };
    const { code, out, err } = await commandLine.runWith(env, dir, 'config', 'check');
    assert.equal(code, 0, err + out);
    assert.match(err, /sluice\.db/);
  });
});
