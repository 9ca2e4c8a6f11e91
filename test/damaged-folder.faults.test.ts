// Every file that a running service leaves in its data folder, damaged in every way. Booting a service for
// each case would take minutes, so files that different parts of the service read are damaged together, and
// each is judged separately: docs/operating.md says whether its loss is restored, loud, harmless or silent.
// With any damage, DNS answers, and the first answer for a listed name is blocked. The files of the database
// have their own test (src/store/database/damaged-files.test.ts). A new file in the folder fails this test
// until it is in the table of that document and in one of these groups.

import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test, type TestContext } from 'node:test';

import { boot, bootFor, type Service } from './running/boot.ts';
import { damages, type Damage } from './running/damage.ts';
import { damageRow } from './running/damage-table.ts';
import { sendQueryWithRetries, sendQuery, dnsPort, localName } from './running/dns-service.ts';
import { freePort } from './running/free-port.ts';
import { temporaryFolder } from './running/folder.ts';
import { at, listAt } from './running/reply.ts';
import { until } from './running/waiting.ts';

/** No file in a group replaces another file of the group or hides its damage. */
const groups: readonly (readonly string[])[] = [
  ['snapshot.bin', 'history.db', 'tls/ca.key'],
  ['lists/1/1.zst', 'history-journal-0.bin', 'tls/server.key', 'dns.json'],
  ['lists/1/1.json', 'snapshot.bin.previous', 'cache-1.bin', 'tls/ca.crt'],
  ['snapshot.bin.json', 'cache-2.bin', 'tls/server.crt', 'lock'],
];

/** The log messages about the files whose damage may be loud. */
const reported: Readonly<Record<string, RegExp>> = {
  'history.db': /history\.db (?:is broken|was missing or empty)/,
  'history-journal-0.bin': /journal of the history is damaged: \d+ bytes of \S+history-journal-0\.bin/,
  'tls/ca.key': /ca\.key held no usable key .*a new authority was made/,
};

// All keys of the table are of this type.
const kinds = Object.keys(damages) as Damage[];

interface Damaged {
  readonly service: Service;
  readonly dir: string;
  /** The contents of each remaining file after the damage. */
  readonly left: ReadonlyMap<string, Buffer>;
  /** Response code of the very first DNS answer, for a listed name. */
  readonly first: number | undefined;
  readonly hasOldQuery: boolean;
}

const env = {
  SLUICE_DNS_HOSTS: `192.0.2.7 ${localName}`,
  SLUICE_DNS_UPSTREAMS: '127.0.0.1#9',
  SLUICE_DNS_WORKERS: '2',
};
const template = temporaryFolder();

/** A name on the built-in list. The upstream does not answer, so only a block gives response code 0. */
const listed = 'doubleclick.net';
const blocked = 0;

before(async () => {
  const service = await boot({ dir: template, env: { ...env, SLUICE_DNS_LISTEN: '127.0.0.1:0' } });
  assert.equal((await service.call('POST', '/api/groups', { body: { name: 'kids' } })).status, 201);
  assert.equal(await sendQueryWithRetries(await dnsPort(service), localName), 0);
  await until('The query is in the history', async () =>
    (await names(service)).length > 0 ? true : undefined,
  );
  await service.logged(/Lists are compiled and in force/);
  await service.stop();
});

async function names(service: Service): Promise<readonly unknown[]> {
  const { body } = await service.call('GET', '/api/queries', { via: 'control' });
  return listAt(body, 'queries').map((query) => at(query, 'domain'));
}

const filesIn = (dir: string, below = ''): readonly string[] =>
  readdirSync(join(dir, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    if (entry.isDirectory()) return filesIn(dir, path);
    return entry.isFile() && !path.startsWith('sluice.db') ? [path] : [];
  });

async function bootDamaged(t: TestContext, kind: Damage, files: readonly string[]): Promise<Damaged> {
  const dir = temporaryFolder();
  cpSync(template, dir, { recursive: true, verbatimSymlinks: true });
  for (const file of files) damages[kind](join(dir, file));
  const there = files.filter((file) => existsSync(join(dir, file)));
  const left = new Map(there.map((file) => [file, readFileSync(join(dir, file))]));
  const port = await freePort();
  const listen = { SLUICE_DNS_LISTEN: `127.0.0.1:${port}` };
  const booting = bootFor(t, { dir, env: { ...env, ...listen }, certificate: 'own' });
  // The query starts before the service listens, so that this is the very first answer.
  const [service, first] = await Promise.all([booting, firstAnswer(port)]);
  assert.equal(await sendQueryWithRetries(port, localName), 0);
  await until('The history has a query of the previous or of this start', async () =>
    (await names(service)).length > 0 ? true : undefined,
  );
  return { service, dir, left, first, hasOldQuery: (await names(service)).includes(localName) };
}

const firstAnswer = (port: number): Promise<number | undefined> =>
  until('DNS is answered for the first time', () => sendQuery(port, listed, 50));

type Check = (damaged: Damaged, file: string) => Promise<void> | void;

const checks: Readonly<Record<string, Check>> = {
  loud: async ({ service }, file) => {
    await service.logged(reported[file] ?? /there is no message about this file/);
  },
  silent: ({ service }, file) => {
    assert.doesNotMatch(
      service.log(),
      reported[file] ?? /./,
      'The log reports it: docs/operating.md can say `loud`.',
    );
  },
  /** Only snapshot.bin: the previous snapshot blocks until the lists are compiled again. */
  restored: async ({ first, dir, left }, file) => {
    assert.equal(file, 'snapshot.bin');
    assert.equal(first, blocked);
    const damaged = left.get(file) ?? Buffer.alloc(0);
    await until('The lists are compiled again', () =>
      existsSync(join(dir, file)) && !readFileSync(join(dir, file)).equals(damaged) ? true : undefined,
    );
  },
  harmless: async ({ service, dir, first }, file) => {
    assert.equal(first, blocked);
    assert.match((await service.call('GET', '/api/groups')).text, /"kids"/);
    assert.ok(service.https !== '', 'HTTPS is open.');
    if (file.startsWith('tls/')) assert.deepEqual(caKey(dir), caKey(template));
  },
};

const caKey = (dir: string): Buffer => readFileSync(join(dir, 'tls/ca.key'));

describe('a data folder', { concurrency: 2 }, () => {
  test('holds no file without a row in docs/operating.md and a group here', () => {
    assert.deepEqual(filesIn(template).toSorted(), groups.flat().toSorted());
  });

  for (const kind of kinds)
    for (const files of groups)
      test(`with ${files.join(', ')} ${kind}: DNS blocks from the first answer on`, async (t) => {
        const damaged = await bootDamaged(t, kind, files);
        assert.equal(damaged.first, blocked);
        for (const file of files) {
          const outcome = damageRow(file)[kind];
          const check = checks[outcome] ?? (() => assert.fail(`"${outcome}" is not an outcome.`));
          await t.test(`${file}, ${kind}: ${outcome}`, () => check(damaged, file));
        }
        if (!files.some((file) => file.startsWith('history'))) assert.ok(damaged.hasOldQuery);
        await damaged.service.stop();
      });

  test('with both snapshots damaged: it logs that, and blocks once the lists are compiled', async (t) => {
    const dir = temporaryFolder();
    cpSync(template, dir, { recursive: true, verbatimSymlinks: true });
    for (const file of ['snapshot.bin', 'snapshot.bin.previous']) damages.garbage(join(dir, file));
    const service = await bootFor(t, { dir, env: { ...env, SLUICE_DNS_LISTEN: '127.0.0.1:0' } });
    const port = await dnsPort(service);
    await service.logged(/compiled lists cannot be used/);
    await until('The list blocks again', async () =>
      (await sendQueryWithRetries(port, listed)) === blocked ? true : undefined,
    );
    await service.stop();
  });
});
