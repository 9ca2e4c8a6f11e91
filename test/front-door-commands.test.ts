// The commands about groups, domains, the blocking switch, sessions and application passwords, as a user or a
// script calls them: tables and sentences, the API's reply with --json, error messages, exit codes. All tests
// share one service, and each uses names that no other test uses.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { boot, bootFor, type Service } from './running/boot.ts';
import { temporaryFolder } from './running/folder.ts';
import { openCommandLine } from './running/command-line.ts';
import { runCommand, type CommandResult } from './running/program.ts';
import { assertError, at, listAt } from './running/reply.ts';

const password = 'correct horse battery staple';
const commandLine = openCommandLine();

let service: Service;

before(async () => {
  service = await boot({ env: { SLUICE_WEB_HTTPS: '', SLUICE_AUTH_PASSWORD: password } });
});
after(() => service.stop());

const sluice = (...args: readonly string[]): Promise<CommandResult> => commandLine.run(service.dir, ...args);

/** Ends with exit code 0 and nothing on stderr. */
const done = async (...args: readonly string[]): Promise<string> => {
  const { code, out, err } = await sluice(...args);
  assert.deepEqual([code, err], [0, ''], `sluice ${args.join(' ')}`);
  return out;
};

/** Ends with this code and prints this message on stderr. */
const fails = async (code: number, message: RegExp | string, ...args: readonly string[]): Promise<string> => {
  const result = await sluice(...args);
  assert.equal(result.code, code, `sluice ${args.join(' ')}: ${result.out}${result.err}`);
  if (typeof message === 'string') assert.equal(result.err, `${message}\n`);
  else assert.match(result.err, message);
  assert.doesNotMatch(result.err, /\n {4}at /, 'a stack trace is not a message');
  return result.out;
};

const json = async (...args: readonly string[]): Promise<unknown> =>
  JSON.parse(await done(...args, '--json'));

/** Calls the API through the control socket, which the commands use too. */
const api = async (method: string, path: string): Promise<unknown> =>
  (await service.call(method, path, { via: 'control' })).body;

const withoutTook = (body: unknown): unknown => {
  assert.ok(typeof body === 'object' && body !== null && 'took' in body);
  const { took: _took, ...rest } = body;
  return rest;
};

const group = async (name: string): Promise<unknown> =>
  at(await api('GET', `/api/groups/${encodeURIComponent(name)}`), 'groups', 0);

const domain = async (place: string, text: string): Promise<unknown> =>
  at(await api('GET', `/api/domains/${place}/${encodeURIComponent(text)}`), 'domains', 0);

const local = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;

const leaves: readonly (readonly string[])[] = [
  ...['list', 'add', 'set', 'remove'].flatMap((leaf) => [
    ['groups', leaf],
    ['domains', leaf],
  ]),
  ...['show', 'on', 'off'].map((leaf) => ['blocking', leaf]),
  ...['list', 'end'].map((leaf) => ['sessions', leaf]),
  ...['list', 'add', 'remove'].map((leaf) => ['apps', leaf]),
  ...['list', 'undo'].map((leaf) => ['changes', leaf]),
];
const commands = ['groups', 'domains', 'blocking', 'sessions', 'apps', 'changes'];

describe('help', () => {
  for (const command of [...commands.map((name) => [name]), ...leaves]) {
    test(`sluice ${command.join(' ')} --help prints usage, examples and exit codes`, async () => {
      const out = await done(...command, '--help');
      assert.ok(out.startsWith(`Usage: sluice ${command.join(' ')}`), out);
      assert.match(out, new RegExp(`Examples:\n.*sluice ${command[0]}`));
      assert.match(out, /Exit codes: 0 /);
    });
  }

  test('sluice --help lists all of these commands', async () => {
    const out = await done('--help');
    for (const name of commands) assert.match(out, new RegExp(`^  ${name} `, 'm'));
  });
});

describe('without a running service', () => {
  const table: readonly (readonly string[])[] = [
    ...commands.map((name) => [name]),
    ['groups', 'add', 'x'],
    ['groups', 'set', 'x', '--enable'],
    ['groups', 'remove', 'x'],
    ['domains', 'list', '--json'],
    ['domains', 'add', 'x.example', '--group', 'Default'],
    ['domains', 'set', 'x.example', '--disable'],
    ['domains', 'remove', 'x.example'],
    ['blocking', 'off', '--for', '15m'],
    ['sessions', 'end', '1'],
    ['apps', 'add', 'x'],
    ['apps', 'remove', '1'],
    ['changes', 'undo', '1'],
  ];
  for (const args of table) {
    test(`sluice ${args.join(' ')} ends with exit code 3 and says what to do`, async () => {
      const { code, out, err } = await commandLine.run(temporaryFolder(), ...args);
      assert.deepEqual([code, out], [3, ''], err);
      assert.match(err, /sluice serve/);
    });
  }
});

describe('wrong usage', () => {
  const table: readonly (readonly [message: RegExp, ...args: string[]])[] = [
    ...commands.map((name) => [/'dance' is not a command of \w+\. Commands: \w+, /, name, 'dance'] as const),
    [/--help/, 'groups', '--dance'],
    [/'name'/, 'groups', 'add'],
    [/'name'/, 'groups', 'set'],
    [/--name, --comment, --enable or --disable/, 'groups', 'set', 'Default'],
    [/--enable.*--disable/, 'groups', 'set', 'Default', '--enable', '--disable'],
    [/Allowed are 0, 1, 2 and 3/, 'groups', 'set', 'Default', '--privacy', '4'],
    [/'name'/, 'groups', 'remove'],
    [/'domain'/, 'domains', 'add'],
    [/--deny.*--allow/, 'domains', 'list', '--deny', '--allow'],
    [/--exact.*--regex/, 'domains', 'add', 'x.example', '--exact', '--regex'],
    [/--comment, --group, --for/, 'domains', 'set', 'x.example'],
    [/--for.*--forever/, 'domains', 'set', 'x.example', '--for', '1h', '--forever'],
    ...['soon', '0', '-5', '1.5h', '366d', ''].map(
      (text) =>
        [/90s, 15m, 2h, 1d or a number of seconds/, 'domains', 'add', 'x.example', '--for', text] as const,
    ),
    [/90s, 15m, 2h, 1d or a number of seconds, at most 365d/, 'blocking', 'off', '--for', '1w'],
    [/--help/, 'blocking', 'on', 'off'],
    [/'id'/, 'sessions', 'end'],
    [/whole number/, 'sessions', 'end', 'all'],
    [/whole number/, 'apps', 'remove', '1', 'Dashboard'],
    [/'name'/, 'apps', 'add'],
    [/--help/, 'apps', 'add', 'two', 'names'],
    [/'version'/, 'changes', 'undo'],
    [/whole number/, 'changes', 'undo', 'last'],
    [/1 to 1000/, 'changes', 'list', '--count', '0'],
  ];
  for (const [message, ...args] of table) {
    test(`sluice ${args.join(' ')} ends with exit code 2 and says what is allowed`, async () =>
      assert.equal(await fails(2, message, ...args), ''));
  }
});

describe('sluice groups', () => {
  test('adds, lists, changes and removes groups', async () => {
    assert.equal(
      await done('groups', 'add', 'Kids', 'Smart things', '--comment', 'Tablets', '--disabled'),
      'Group "Kids" was added.\nGroup "Smart things" was added.\n',
    );
    assert.equal(at(await group('Kids'), 'comment'), 'Tablets');
    assert.equal(at(await group('Smart things'), 'enabled'), false);
    const table = await done('groups');
    assert.match(table, /^id +name +enabled +applies +changed +comment\n/);
    assert.match(table, new RegExp(`\n\\d+ +Smart things +no +always +${local} +Tablets\n`));
    assert.equal(await done('groups', 'list'), table);
    assert.equal(
      await done('groups', 'set', 'Kids', '--enable', '--comment', ''),
      'Group "Kids" was changed.\n',
    );
    assert.deepEqual([at(await group('Kids'), 'enabled'), at(await group('Kids'), 'comment')], [true, null]);
    await done('groups', 'set', 'Kids', '--name', 'Children');
    assert.equal(at(await group('Children'), 'enabled'), true);
    await done('groups', 'set', 'Children', '--disable', '--privacy', '2');
    assert.equal(at(await group('Children'), 'enabled'), false);
    assert.equal(at(await group('Children'), 'privacy'), 2);
    assert.equal(
      await done('groups', 'remove', 'Children', 'Smart things'),
      'Group "Children" was removed.\nGroup "Smart things" was removed.\n',
    );
    assert.equal(await group('Children'), undefined);
  });

  test('--json prints the reply of the API without `took`', async () => {
    await done('groups', 'add', 'For scripts');
    const replied = withoutTook(await api('GET', '/api/groups'));
    const launched = await runCommand(['groups', '--json'], { dir: service.dir });
    assert.deepEqual([launched.code, JSON.parse(launched.out), launched.err], [0, replied, '']);
    assert.deepEqual(await json('groups'), replied);
    assert.deepEqual(await json('groups', 'list'), replied);
  });

  test('fails and names a group that exists already, does not exist or cannot be removed', async () => {
    await done('groups', 'add', 'Taken', 'Other');
    await fails(1, 'There is a group "Taken" already.', 'groups', 'add', 'Taken');
    await fails(1, 'There is a group "Taken" already.', 'groups', 'set', 'Other', '--name', 'Taken');
    await fails(1, 'There is no group "Absent".', 'groups', 'set', 'Absent', '--enable');
    await fails(
      1,
      /^Group "Default" was not removed: The default group cannot/,
      'groups',
      'remove',
      'Default',
    );
    await fails(1, /^Group "" was not added: /, 'groups', 'add', '');
  });

  test('with several names changes those it can and ends with exit code 1', async () => {
    const added = await fails(
      1,
      'There is a group "Twice" already.',
      'groups',
      'add',
      'Twice',
      'Twice',
      'Once',
    );
    assert.equal(added, 'Group "Twice" was added.\nGroup "Once" was added.\n');
    const removed = await fails(1, 'There is no group "None".', 'groups', 'remove', 'None', 'Twice', 'Once');
    assert.equal(removed, 'Group "Twice" was removed.\nGroup "Once" was removed.\n');
  });

  test('accepts any characters in names and prints no escape sequence', async () => {
    const names = ['a/b?c=d&e#f %41', '...', '--odd', 'Bücher 📚', 'one\ntwo\u001b[31m'];
    assert.equal((await done('groups', 'add', '--', ...names)).split('\n').length, names.length + 1);
    for (const name of names) assert.equal(at(await group(name), 'name'), name);
    const table = await done('groups');
    assert.ok(table.includes('one\\u000atwo\\u001b[31m'), table);
    assert.ok(!table.includes('\u001b'), 'an escape sequence reaches the terminal');
    await done('groups', 'remove', '--', ...names);
    for (const name of names) assert.equal(await group(name), undefined);
    await fails(1, 'Group ".." was not added: Invalid name of a group', 'groups', 'add', '..');
  });
});

describe('sluice domains', () => {
  test('without entries prints a sentence on stderr and nothing on stdout', async (t) => {
    const empty = await bootFor(t, { env: { SLUICE_WEB_HTTPS: '' } });
    for (const args of [['domains'], ['domains', 'list', '--allow'], ['sessions'], ['apps']]) {
      const { code, out, err } = await commandLine.run(empty.dir, ...args);
      assert.deepEqual([code, out], [0, '']);
      assert.match(err, /^There are no .*\.\n$/);
    }
    const { out, err } = await commandLine.run(empty.dir, 'domains', '--json');
    assert.deepEqual([JSON.parse(out), err], [{ domains: [] }, '']);
  });

  test('adds denied and allowed domains and regular expressions', async () => {
    assert.equal(
      await done('domains', 'add', 'one.example', 'two.example', '--comment', 'Annoying'),
      'Denied domain "one.example" was added.\nDenied domain "two.example" was added.\n',
    );
    assert.equal(at(await domain('deny/exact', 'two.example'), 'comment'), 'Annoying');
    await done('domains', 'add', '--allow', 'three.example', '--disabled');
    assert.equal(at(await domain('allow/exact', 'three.example'), 'enabled'), false);
    assert.equal(
      await done('domains', 'add', '--allow', '--regex', String.raw`^four\.`),
      'Allowed regular expression "^four\\." was added.\n',
    );
    const table = await done('domains');
    assert.match(table, /^domain +type +kind +enabled +ends +groups +comment\n/);
    assert.match(table, /\none\.example +deny +exact +yes +never +Default +Annoying\n/);
    assert.match(table, /\n\^four\\\. +allow +regex +yes +never +Default\n/);
  });

  test('lists by type and kind as a table, and with --json prints the reply of the API', async () => {
    await done('domains', 'add', 'listed.example');
    await done('domains', 'add', '--allow', 'listed.example');
    await done('domains', 'add', '--regex', 'listed');
    for (const [path, ...options] of [
      [''],
      ['/allow', '--allow'],
      ['/deny', '--deny'],
      ['/regex', '--regex'],
      ['/exact', '--exact'],
      ['/deny/regex', '--deny', '--regex'],
      ['/allow/exact', '--allow', '--exact'],
    ] as const) {
      const replied = withoutTook(await api('GET', `/api/domains${path}`));
      assert.deepEqual(await json('domains', 'list', ...options), replied);
      const lines = (await done('domains', 'list', ...options)).trimEnd().split('\n');
      assert.equal(lines.length, listAt(replied, 'domains').length + 1);
    }
  });

  test('assigns groups by their names, and fails for a group that does not exist', async () => {
    await done('groups', 'add', 'Tablets', 'Two words');
    await done('domains', 'add', 'some.example', '--group', 'Two words', '--group', 'Tablets');
    const ids = await Promise.all(['Tablets', 'Two words'].map(async (name) => at(await group(name), 'id')));
    assert.deepEqual(at(await domain('deny/exact', 'some.example'), 'groups'), ids);
    assert.match(await done('domains'), /\nsome\.example .* never +Tablets, Two words\n/);
    await done('domains', 'set', 'some.example', '--group', 'Default');
    assert.deepEqual(at(await domain('deny/exact', 'some.example'), 'groups'), [0]);
    const unknown = /^There is no group "Nope"\. Existing groups: "Default", /;
    await fails(1, unknown, 'domains', 'add', 'new.example', '--group', 'Default', '--group', 'Nope');
    await fails(1, unknown, 'domains', 'set', 'some.example', '--group', 'Nope');
    assert.equal(await domain('deny/exact', 'new.example'), undefined);
  });

  test('adds a rule for one device for a while with --client and --for', async () => {
    const args = ['domains', 'add', '--allow', 'device.example', '--for', '1h'];
    assert.equal(
      await done(...args, '--client', '192.168.1.5', '--client', 'The tablet'),
      'Allowed domain "device.example;client=192.168.1.5,The tablet" was added.\n',
    );
    const stored = await domain('allow/exact', 'device.example;client=the tablet,192.168.1.5');
    assert.equal(at(stored, 'domain'), 'device.example;client=192.168.1.5,the tablet');
    assert.ok(Number(at(stored, 'expires_at')) > Date.now() / 1000);
    const problem = /^Allowed domain ".*" was not added: .*"10\.0\.0" is no client; accepted are an address/;
    await fails(1, problem, ...args, '--client', '10.0.0');
    const warned = await commandLine.run(service.dir, ...args, '--client', '4711');
    assert.match(warned.err, /^Warning about .*: No configured client has the id 4711/);
  });

  test('sets, extends and removes the expiry with --for and --forever', async () => {
    const ends = async (): Promise<number> =>
      Number(at(await domain('deny/exact', 'while.example'), 'expires_at'));
    let askedSeconds = Math.floor(Date.now() / 1000);
    const isIn = async (seconds: number): Promise<void> => {
      const end = await ends();
      const nowSeconds = Math.ceil(Date.now() / 1000);
      assert.ok(end >= askedSeconds + seconds && end <= nowSeconds + seconds, String(end));
      askedSeconds = nowSeconds - 1;
    };
    await done('domains', 'add', 'while.example', '--for', '30m');
    await isIn(1800);
    assert.match(
      await done('domains'),
      new RegExp(`\nwhile\\.example +deny +exact +yes +${local} +Default\n`),
    );
    await done('domains', 'set', 'while.example', '--for', '1d', '--comment', 'x');
    await isIn(86_400);
    await done('domains', 'set', 'while.example', '--forever');
    assert.equal(at(await domain('deny/exact', 'while.example'), 'expires_at'), null);
    assert.equal(at(await domain('deny/exact', 'while.example'), 'comment'), 'x');
  });

  test('finds an entry by any spelling, and requires type or kind when several match', async () => {
    await done('domains', 'add', 'BÜCHER.example.');
    assert.match(await done('domains'), /\nbücher\.example \(xn--bcher-kva\.example\) +deny /);
    await done('domains', 'set', 'xn--bcher-kva.example', '--disable');
    assert.equal(at(await domain('deny/exact', 'bücher.example'), 'enabled'), false);
    await done('domains', 'add', '--allow', 'bücher.example');
    const both =
      /^There is a denied domain "b.*" and an allowed domain "b.*"\. Say which one: --deny or --allow/;
    await fails(1, both, 'domains', 'remove', 'bücher.example');
    await fails(1, both, 'domains', 'set', 'bücher.example', '--enable');
    await done('domains', 'set', 'bücher.example', '--deny', '--enable');
    assert.equal(at(await domain('deny/exact', 'bücher.example'), 'enabled'), true);
    assert.equal(
      await done('domains', 'remove', 'Bücher.example', '--allow'),
      'Allowed domain "Bücher.example" was removed.\n',
    );
    await done('domains', 'remove', 'Bücher.example');
    await fails(1, /^There is no entry "Bücher\.example"/, 'domains', 'remove', 'Bücher.example');
  });

  test('fails and names a domain that exists already, does not exist or is invalid', async () => {
    await done('domains', 'add', 'taken.example');
    await done('domains', 'add', '--allow', '--regex', 'taken');
    await fails(1, 'There is a denied domain "Taken.example" already.', 'domains', 'add', 'Taken.example');
    const regex = ['domains', 'add', '--allow', '--regex', 'taken'];
    await fails(1, 'There is an allowed regular expression "taken" already.', ...regex);
    const absent = ['domains', 'remove', 'absent.example', '--allow', '--exact'];
    await fails(1, 'There is no allowed domain "absent.example".', ...absent);
    const reason = 'a..b: an empty label, at character 3';
    const wrong = `Denied domain "a..b" was not added: Invalid domain (${reason})`;
    const added = await fails(1, wrong, 'domains', 'add', 'a..b', 'right.example');
    assert.equal(added, 'Denied domain "right.example" was added.\n');
    await fails(1, /"\[" was not added: Regex validation failed \(.+\)/, 'domains', 'add', '--regex', '[');
  });
});

describe('sluice groups --schedule', () => {
  test('sets, shows and removes schedules, and refuses a wrong time', async () => {
    await done('groups', 'add', 'Bedtime', '--schedule', 'daily 00:00-24:00 UTC');
    assert.match(await done('groups'), /Bedtime +yes +always/);
    await done(
      'groups',
      'set',
      'Bedtime',
      '--schedule',
      'fri-sun 21:00-06:30',
      '--schedule',
      'mon 01:00-02:00',
    );
    const windows = listAt(await group('Bedtime'), 'schedules');
    assert.deepEqual(
      windows.map((row) => [at(row, 'days'), at(row, 'from'), at(row, 'until')]),
      [
        [['fri', 'sat', 'sun'], '21:00', '06:30'],
        [['mon'], '01:00', '02:00'],
      ],
    );
    assert.match(await done('groups'), new RegExp(`Bedtime +yes +(?:until|from) ${local} `));
    await fails(
      1,
      /schedules\[0\]\.from: "25:00" is no time/,
      'groups',
      'set',
      'Bedtime',
      '--schedule',
      'mon 25:00-26:00',
    );
    await fails(2, /"mon-fri 21:00-06:30"/, 'groups', 'set', 'Bedtime', '--schedule', 'at night');
    await done('groups', 'set', 'Bedtime', '--always');
    assert.deepEqual(at(await group('Bedtime'), 'schedules'), []);
    await done('groups', 'remove', 'Bedtime');
  });
});

describe('sluice blocking', () => {
  test('shows the state and switches it, permanently or for some time', async () => {
    assert.equal(await done('blocking'), 'Blocking is on.\n');
    const off = await done('blocking', 'off', '--for', '15m');
    const soon = new RegExp(`^Blocking is off for another \\d+ min \\d+ s, until ${local}\\.\n$`);
    assert.match(off, soon);
    assert.match(await done('blocking', 'show'), soon);
    const state = await json('blocking');
    assert.equal(at(state, 'blocking'), false);
    assert.ok(Number(at(state, 'timer')) > 0 && Number(at(state, 'timer')) <= 900);
    assert.equal(await done('blocking', 'off'), 'Blocking is off.\n');
    assert.deepEqual(await json('blocking', 'on'), { blocking: true, timer: null, pauses: [] });
    assert.deepEqual(await json('blocking'), withoutTook(await api('GET', '/api/dns/blocking')));
  });

  test('pauses for a group, and for a client by its comment', async () => {
    await done('groups', 'add', 'Resting');
    await done('clients', 'add', '192.0.2.9', '--comment', 'The tablet');
    assert.equal(
      await done('blocking', 'off', '--group', 'Resting'),
      'Blocking is on.\nPaused for group "Resting" until `sluice blocking on --group "Resting"` ends it.\n',
    );
    const paused = await done('blocking', 'off', '--client', 'the tablet', '--for', '15m');
    assert.match(
      paused,
      new RegExp(`\nPaused for client 192.0.2.9 for \\d+ min \\d+ s, until ${local}\\.\n`),
    );
    assert.equal(at(await json('blocking', 'on', '--group', 'Resting'), 'pauses', 0, 'client'), '192.0.2.9');
    assert.equal(await done('blocking', 'on', '--client', '192.0.2.9'), 'Blocking is on.\n');
    await fails(1, /Unknown group \(There is no group "None"; GET/, 'blocking', 'off', '--group', 'None');
    await fails(2, /--group.*--client/, 'blocking', 'off', '--group', 'Resting', '--client', '::1');
  });

  test('fails when the environment pins the state, as the API does with 400', async (t) => {
    const pinned = await bootFor(t, { env: { SLUICE_WEB_HTTPS: '', SLUICE_DNS_BLOCKING_ACTIVE: 'true' } });
    const reply = await pinned.call('POST', '/api/dns/blocking', { body: { blocking: false } });
    assertError(reply, { status: 400, key: 'bad_request' });
    assert.equal(at((await pinned.call('GET', '/api/dns/blocking')).body, 'blocking'), true);
    const { code, out, err } = await commandLine.run(pinned.dir, 'blocking', 'off');
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /^Blocking was not switched off: .*dns\.blocking\.active is set by the environment/);
  });
});

describe('sluice apps', () => {
  const login = (secret: string) => service.call('POST', '/api/auth', { body: { password: secret } });

  test('prints nothing but a new password, only once; it works until it is removed', async () => {
    const made = await sluice('apps', 'add', 'My dashboard');
    assert.equal(made.code, 0);
    assert.match(made.out, /^[\w-]{43}\n$/);
    assert.match(made.err, /^Application password \d+ for "My dashboard", shown only now:\n$/);
    const secret = made.out.trim();
    assert.equal((await login(secret)).status, 200);
    await sluice('apps', 'add', 'Nightly', '--sudo');
    const table = await done('apps');
    assert.match(table, /^id +name +sudo +created +last used\n/);
    assert.match(table, new RegExp(`\n\\d+ +My dashboard +no +${local} +${local}\n`));
    assert.match(table, new RegExp(`\n\\d+ +Nightly +yes +${local} +never\n`));
    assert.deepEqual(await json('apps'), withoutTook(await api('GET', '/api/auth/app')));
    assert.ok(!(table + JSON.stringify(await json('apps'))).includes(secret));
    const ids = listAt(await json('apps'), 'apps').map((app) => String(at(app, 'id')));
    const removed = await fails(
      1,
      'There is no application password 999999.',
      'apps',
      'remove',
      ...ids,
      '999999',
    );
    assert.equal(removed.split('\n')[0], `Application password ${ids[0]} was removed.`);
    assert.equal((await login(secret)).status, 401);
  });

  test('refuses an empty name', async () => {
    assert.equal(await fails(1, /^Application password "" was not created: /, 'apps', 'add', ''), '');
  });
});

describe('sluice sessions', () => {
  test('lists sessions without their secret SIDs, and ends one', async () => {
    const headers = { 'user-agent': 'A browser \u009b31m' };
    const { body } = await service.call('POST', '/api/auth', { body: { password }, headers });
    const sid = String(at(body, 'session', 'sid'));
    const read = async () =>
      (await service.call('GET', '/api/groups', { headers: { 'x-svc-sid': sid } })).status;
    assert.equal(await read(), 200);
    const table = await done('sessions');
    assert.match(table, /^id +address +login +last used +valid until +tls +app +user agent\n/);
    const row = new RegExp(
      `\n(\\d+) +127\\.0\\.0\\.1 +${local} +${local} +${local} +no +A browser \\\\u009b31m\n`,
    );
    const id = row.exec(table)?.[1] ?? '';
    assert.notEqual(id, '', table);
    assert.ok(!table.includes(sid), 'the session id is a secret');
    const rows = listAt(await json('sessions'), 'sessions');
    assert.deepEqual(rows, listAt(await api('GET', '/api/auth/sessions'), 'sessions'));
    assert.equal(await done('sessions', 'end', id), `Session ${id} was ended.\n`);
    assert.equal(await read(), 401);
    await fails(1, `There is no session ${id}.`, 'sessions', 'end', id);
  });
});

describe('sluice changes', () => {
  test('lists who changed what, and undoes a change by its version', async () => {
    await done('domains', 'add', 'c1.example', 'c2.example');
    const table = await done('changes', 'list', '--count', '1');
    assert.match(table, /^version +at +by +change\n/);
    const version =
      new RegExp(`\n(\\d+) +${local} +local administrator +domain c2\\.example added\n`).exec(table)?.[1] ??
      '';
    assert.notEqual(version, '', table);
    const next = Number(version) + 1;
    const undone = await done('changes', 'undo', version);
    assert.match(
      undone,
      new RegExp(`^Change ${version} was undone: \\d domains? changed\\. That is change ${next}\\.\n$`),
    );
    assert.equal(at(listAt(await json('changes'), 'revisions')[0], 'version'), next);
    await fails(
      1,
      /^Change \d+ was not undone: .*The domain c2\.example has been changed/,
      'changes',
      'undo',
      version,
    );
    await fails(1, 'There is no change 999999.', 'changes', 'undo', '999999');
  });
});
