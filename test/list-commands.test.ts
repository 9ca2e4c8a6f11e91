// The commands about lists and clients, as a user or a script calls them: tables and sentences, the API's
// reply with --json, error messages, exit codes. All tests share one service.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { boot, type Service } from './running/boot.ts';
import { temporaryFolder } from './running/folder.ts';
import { openCommandLine } from './running/command-line.ts';
import { runCommand, type CommandResult } from './running/program.ts';
import { at, listAt as itemsAt } from './running/reply.ts';
import { until } from './running/waiting.ts';

const commandLine = openCommandLine();

let service: Service;

before(async () => {
  service = await boot({ env: { SLUICE_WEB_HTTPS: '' } });
  for (const name of ['Children', 'Guests'])
    await service.call('POST', '/api/groups', { via: 'control', body: { name } });
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

const api = async (path: string): Promise<unknown> =>
  (await service.call('GET', path, { via: 'control' })).body;
const listAt = async (address: string, type: string): Promise<unknown> =>
  at(await api(`/api/lists/${encodeURIComponent(address)}?type=${type}`), 'lists', 0);
const clientAt = async (text: string): Promise<unknown> =>
  at(await api(`/api/clients/${encodeURIComponent(text)}`), 'clients', 0);

describe('usage', () => {
  for (const command of ['lists', 'clients']) {
    for (const leaf of [[], ['list'], ['add'], ['set'], ['remove']]) {
      test(`sluice ${[command, ...leaf].join(' ')} --help prints usage and examples`, async () => {
        const out = await done(command, ...leaf, '--help');
        assert.ok(out.startsWith(`Usage: sluice ${[command, ...leaf].join(' ')}`), out);
        assert.match(out, new RegExp(`Examples:\n.*sluice ${command}`));
      });
    }

    for (const leaf of command === 'lists' ? ['update', 'copies', 'use', 'accept'] : []) {
      test(`sluice lists ${leaf} --help prints usage and examples`, async () => {
        const out = await done('lists', leaf, '--help');
        assert.ok(out.startsWith(`Usage: sluice lists ${leaf}`), out);
        assert.match(out, new RegExp(`Examples:\n.*sluice lists ${leaf}`));
      });
    }

    test(`sluice ${command} without a running service ends with exit code 3`, async () => {
      const { code, out, err } = await commandLine.run(temporaryFolder(), command);
      assert.deepEqual([code, out], [3, ''], err);
      assert.match(err, /sluice serve/);
    });
  }

  const wrong: readonly (readonly [message: RegExp, ...args: string[]])[] = [
    [/'dance' is not a command of lists\. Commands: list, add/, 'lists', 'dance'],
    [/'dance' is not a command of clients\. Commands: list, add/, 'clients', 'dance'],
    [/'address'/, 'lists', 'add'],
    [/--block.*--allow/, 'lists', 'list', '--block', '--allow'],
    [/--comment, --group, --enable or --disable/, 'lists', 'set', 'x'],
    [/--enable.*--disable/, 'lists', 'set', 'x', '--enable', '--disable'],
    [/'address'/, 'lists', 'accept'],
    [/'version'/, 'lists', 'use', 'x'],
    [/whole number/, 'lists', 'use', 'x', 'first'],
    [/'client'/, 'clients', 'remove'],
    [/--comment or --group/, 'clients', 'set', 'x'],
  ];
  for (const [message, ...args] of wrong) {
    test(`sluice ${args.join(' ')} ends with exit code 2 and says what is allowed`, async () =>
      assert.equal(await fails(2, message, ...args), ''));
  }
});

describe('sluice lists', () => {
  const [one, two] = ['https://lists.invalid/one', 'https://lists.invalid/two'] as const;

  test('adds, lists, changes and removes', async () => {
    const added = await done(
      'lists',
      'add',
      one,
      two,
      '--comment',
      'Mine',
      '--group',
      'Children',
      '--disabled',
    );
    assert.equal(added, `Blocking list "${one}" was added.\nBlocking list "${two}" was added.\n`);
    const table = await done('lists');
    assert.match(table, /^address +type +enabled +entries +changed +update +groups +comment\n/);
    assert.match(table, /\nhttps:\/\/lists\.invalid\/one +block +no +0 +never +not yet +Children +Mine\n/);
    const set = await done(
      'lists',
      'set',
      one,
      '--enable',
      '--comment',
      '',
      '--group',
      'Default',
      '--group',
      'Guests',
    );
    assert.equal(set, `Blocking list "${one}" was changed.\n`);
    const list = await listAt(one, 'block');
    assert.deepEqual([at(list, 'enabled'), at(list, 'comment'), at(list, 'groups')], [true, null, [0, 2]]);
    await done('lists', 'set', one, '--disable');
    assert.equal(at(await listAt(one, 'block'), 'enabled'), false);
    assert.equal(await done('lists', 'remove', one), `Blocking list "${one}" was removed.\n`);
    assert.equal(await listAt(one, 'block'), undefined);
  });

  test('--json prints the reply of the API', async () => {
    const { took: _took, ...replied } = Object(await api('/api/lists?type=block'));
    assert.deepEqual(JSON.parse(await done('lists', '--block', '--json')), replied);
    const launched = await runCommand(['lists', '--block', '--json'], { dir: service.dir });
    assert.deepEqual([launched.code, JSON.parse(launched.out), launched.err], [0, replied, '']);
  });

  test('requires --block or --allow when one address has a list of each type', async () => {
    const both = 'https://lists.invalid/both';
    await done('lists', 'add', both);
    assert.equal(await done('lists', 'add', '--allow', both), `Allowing list "${both}" was added.\n`);
    const lists = `a blocking list "${both}" and an allowing list "${both}"`;
    const which = `There is ${lists}. Say which one: --block or --allow.`;
    await fails(1, which, 'lists', 'remove', both);
    await fails(1, which, 'lists', 'set', both, '--disable');
    await done('lists', 'remove', '--allow', both);
    await done('lists', 'set', both, '--disable');
    const there = await done('lists', 'list', '--block');
    assert.ok(there.includes(both), there);
  });

  test('says that a list that was never downloaded has no copy to show, use or accept', async () => {
    const address = 'https://lists.invalid/never';
    await done('lists', 'add', address);
    const { code, out, err } = await sluice('lists', 'copies', address);
    assert.deepEqual([code, out, err], [0, '', 'There are no copies: the list was never downloaded.\n']);
    assert.match(await done('lists', 'copies', address, '--json'), /"copies": \[\]/);
    await fails(1, /There is no whole copy 1/, 'lists', 'use', address, '1');
    await fails(1, /there is nothing to accept/, 'lists', 'accept', address);
    await fails(1, /There is no list "absent"/, 'lists', 'copies', 'absent');
    await done('lists', 'remove', address);
  });

  test('fails for a list that exists already or does not exist, and for an unknown group', async () => {
    const address = 'https://lists.invalid/known';
    await done('lists', 'add', address);
    await fails(1, `There is a blocking list "${address}" already.`, 'lists', 'add', address);
    const absent = 'There is no list "absent"; `sluice lists` lists all.';
    await fails(1, absent, 'lists', 'remove', 'absent');
    await fails(1, /There is no allowing list/, 'lists', 'remove', '--allow', address);
    await fails(1, /There is no group "Absent"/, 'lists', 'add', 'x', '--group', 'Absent');
    await fails(1, /Spaces, newlines and tabs/, 'lists', 'add', 'a b');
  });
});

describe('sluice clients', () => {
  test('without entries prints a sentence on stderr', async () => {
    const { code, out, err } = await sluice('clients');
    assert.deepEqual([code, out, err], [0, '', 'No client is configured; `sluice clients add` adds one.\n']);
  });

  test('adds, lists, changes and removes', async () => {
    const added = await done('clients', 'add', '192.0.2.5', 'AA-BB-CC-DD-EE-FF', '--group', 'Children');
    assert.equal(added, 'Client "192.0.2.5" was added.\nClient "AA-BB-CC-DD-EE-FF" was added.\n');
    const table = await done('clients');
    assert.match(table, /^client +name +groups +changed +comment\n/);
    assert.match(table, /\naa:bb:cc:dd:ee:ff +Default, Children +\d{4}-/);
    await done('clients', 'set', '192.0.2.5', '--comment', 'The tablet', '--group', 'Default');
    const client = await clientAt('192.0.2.5');
    assert.deepEqual([at(client, 'comment'), at(client, 'groups')], ['The tablet', [0]]);
    const { took: _took, ...replied } = Object(await api('/api/clients'));
    assert.deepEqual(JSON.parse(await done('clients', 'list', '--json')), replied);
    const removed = await fails(
      1,
      'There is no client "absent".',
      'clients',
      'remove',
      'absent',
      '192.0.2.5',
    );
    assert.equal(removed, 'Client "192.0.2.5" was removed.\n');
  });

  test('keeps a client in the default group unless --only is given', async () => {
    const groupsOf = async (client: string): Promise<string> => {
      const [, row = ''] = new RegExp(`\\n${client} +(.*?) +\\d{4}-`).exec(await done('clients')) ?? [];
      return row;
    };
    const steps: readonly (readonly [args: readonly string[], groups: string])[] = [
      [['add', '192.0.2.61', '--group', 'Children'], 'Default, Children'],
      [['set', '192.0.2.61', '--group', 'Guests'], 'Default, Guests'],
      [['set', '192.0.2.61', '--group', 'Guests', '--only'], 'Guests'],
      [['set', '192.0.2.61', '--group', 'Children'], 'Children'],
      [['set', '192.0.2.61', '--group', 'Default', '--group', 'Children'], 'Default, Children'],
      [['add', '192.0.2.62', '--group', 'Children', '--only'], 'Children'],
      [['add', '192.0.2.63'], 'Default'],
    ];
    for (const [args, groups] of steps) {
      await done('clients', ...args);
      assert.equal(await groupsOf(args[1] ?? ''), groups, args.join(' '));
    }
    for (const command of ['add', 'set'])
      await fails(2, /--only needs --group/, 'clients', command, '192.0.2.64', '--only');
  });

  test('a group that is the only one of a client is removed only with --force', async () => {
    await done('groups', 'add', 'Lonely');
    await done('clients', 'add', '192.0.2.71', '--group', 'Lonely', '--only');
    await done('clients', 'add', '192.0.2.72', '--group', 'Lonely');
    await done('domains', 'add', 'lonely.example', 'lonely.test', '--group', 'Lonely');
    const refused =
      /^Group "Lonely" was not removed: 1 client would be in no group, .* applies: 192\.0\.2\.71\. .*--force/;
    await fails(1, refused, 'groups', 'remove', 'Lonely');
    assert.equal(
      await done('groups', 'remove', 'Lonely', '--force'),
      'Group "Lonely" was removed. In no group any more, and so without effect: 1 client and 2 rules.\n',
    );
    const explained = await done('explain', 'lonely.example', '--client', '192.0.2.71', '--no-resolve');
    assert.match(explained, /groups +It is in no group, so no rule and no list applies to it\./);
    const about = async (): Promise<unknown> =>
      itemsAt(await api('/api/info/messages'), 'messages').find((one) => at(one, 'type') === 'CLIENT');
    const message = await until('A message names the client', about);
    assert.match(String(at(message, 'plain')), /applies: 192\.0\.2\.71\. .*clients set 192\.0\.2\.71/);
    await done('clients', 'set', '192.0.2.71', '--group', 'Default');
    await until('The message is removed', async () => ((await about()) === undefined ? true : undefined));
    await done('domains', 'remove', 'lonely.example', 'lonely.test');
  });

  test('fails for a client that exists already or is invalid, and for an unknown group', async () => {
    await done('clients', 'add', 'known');
    await fails(1, 'There is a client "KNOWN." already.', 'clients', 'add', 'KNOWN.');
    await fails(
      1,
      /^Client "10\.1" was not added: Invalid client \(10\.1 is no address/,
      'clients',
      'add',
      '10.1',
    );
    await fails(1, /There is no group "Absent"/, 'clients', 'set', 'known', '--group', 'Absent');
  });
});
