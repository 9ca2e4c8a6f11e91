// Every file that a running service leaves in its data folder, damaged in every way, all files of a folder at
// once: the service starts, answers and blocks, and what cannot be made again is named in the log. The files
// of the database have a table of their own (src/server/storage/damaged-files.test.ts). A new file in the
// folder fails this test until somebody has written down here, and in docs/operating.md, what its loss means.

import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';

import { boot, bootFor, type Service } from './running/boot.ts';
import { damages, type Damage } from './running/damage.ts';
import { askAgain, dnsPort, localName } from './running/dns-service.ts';
import { temporaryFolder } from './running/folder.ts';
import { at, listAt } from './running/reply.ts';
import { until } from './running/waiting.ts';

/** What is said when the file cannot be used; nothing for what is made again from elsewhere. */
const loud: Readonly<Record<string, RegExp | undefined>> = {
  'cache-1.bin': undefined,
  'dns.json': undefined,
  'history-journal-0.bin': undefined,
  'history.db': /history\.db (?:is broken|was missing or empty)/,
  'lists/1/1.json': undefined,
  'lists/1/1.zst': undefined,
  lock: undefined,
  'snapshot.bin': /compiled lists cannot be used/,
  'snapshot.bin.json': undefined,
  'snapshot.bin.previous': undefined,
  'tls/ca.crt': undefined,
  'tls/ca.key': /ca\.key held no usable key .*a new authority was made/,
  'tls/server.crt': undefined,
  'tls/server.key': undefined,
};
/** With every file of it gone there is nothing that tells of a history, an authority or compiled lists. */
const saidIn: Readonly<Record<Damage, readonly string[]>> = {
  deleted: [],
  emptied: ['history.db', 'snapshot.bin', 'tls/ca.key'],
  'cut in half': ['history.db', 'snapshot.bin', 'tls/ca.key'],
  'byte early': ['history.db', 'snapshot.bin', 'tls/ca.key'],
  'byte in the middle': ['history.db', 'snapshot.bin', 'tls/ca.key'],
  garbage: ['history.db', 'snapshot.bin', 'tls/ca.key'],
};

const env = {
  SLUICE_DNS_LISTEN: '127.0.0.1:0',
  SLUICE_DNS_HOSTS: `192.0.2.7 ${localName}`,
  SLUICE_DNS_UPSTREAMS: '127.0.0.1#9',
  SLUICE_DNS_WORKERS: '1',
};
const template = temporaryFolder();

/** Of the list that comes with the program; the upstream is nobody, so that only a list answers with 0. */
const listed = 'doubleclick.net';

before(async () => {
  const service = await boot({ dir: template, env });
  assert.equal((await service.call('POST', '/api/groups', { body: { name: 'kids' } })).status, 201);
  assert.equal(await askAgain(await dnsPort(service), localName), 0);
  await until('The query is in the history', () => queries(service));
  await until('Lists are compiled', () => /Lists are compiled and in force/.exec(service.log()) ?? undefined);
  await service.stop();
});

async function queries(service: Service): Promise<unknown> {
  const { body } = await service.call('GET', '/api/queries', { via: 'control' });
  return listAt(body, 'queries').length > 0 ? true : undefined;
}

const filesIn = (dir: string, below = ''): readonly string[] =>
  readdirSync(join(dir, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    if (entry.isDirectory()) return filesIn(dir, path);
    return entry.isFile() && !path.startsWith('sluice.db') ? [path] : [];
  });

describe('a data folder', { concurrency: 2 }, () => {
  test('holds no file whose loss nobody has thought of', () => {
    assert.deepEqual(filesIn(template), Object.keys(loud).toSorted());
  });

  for (const [kind, files] of Object.entries(saidIn))
    test(`with all files but the database ${kind}: it answers, blocks, and names what is lost`, async (t) => {
      const dir = temporaryFolder();
      cpSync(template, dir, { recursive: true, verbatimSymlinks: true });
      // The keys of the table are these kinds.
      const damage = damages[kind as Damage];
      for (const file of filesIn(dir)) damage(join(dir, file));
      const service = await bootFor(t, { dir, env });
      const port = await dnsPort(service);
      assert.equal(await askAgain(port, localName), 0);
      assert.match((await service.call('GET', '/api/groups')).text, /"kids"/);
      await until('The query is in the history', () => queries(service));
      await until('The list blocks again', async () =>
        (await askAgain(port, listed)) === 0 ? true : undefined,
      );
      const { body } = await service.call('GET', '/api/info/messages', { via: 'control' });
      const said = `${service.log()}\n${JSON.stringify(at(body, 'messages'))}`;
      for (const file of files) assert.match(said, loud[file] ?? /never/, file);
      assert.ok(existsSync(join(dir, 'snapshot.bin')));
      await service.stop();
    });
});
